package net.oooops.sigma.http;

import io.netty.channel.DefaultFileRegion;

/** A part of a file on its way out of a connection. The file is its exchange's: it isn't closed when this is sent, or given up, but told so. */
final class SentFile extends DefaultFileRegion {
    private final Outlet outlet;
    private final KeptFile file;

    SentFile(Outlet outlet, KeptFile file, long position, long bytes) {
        super(file.channel(), position, bytes);
        this.outlet = outlet;
        this.file = file;
        file.partSent();
    }

    /** Whether all of it was sent. */
    boolean isSent() {
        return transferred() >= count();
    }

    @Override
    protected void deallocate() {
        file.partLeft();
        outlet.left(this);
    }
}
