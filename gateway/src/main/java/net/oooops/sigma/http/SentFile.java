package net.oooops.sigma.http;

import io.netty.channel.DefaultFileRegion;
import java.nio.channels.FileChannel;

/** A part of a file on its way out of a connection. The file is its exchange's: it stays open when this is sent, or given up. */
final class SentFile extends DefaultFileRegion {
    private final Outlet outlet;

    SentFile(Outlet outlet, FileChannel file, long position, long bytes) {
        super(file, position, bytes);
        this.outlet = outlet;
    }

    /** Whether all of it was sent. */
    boolean isSent() {
        return transferred() >= count();
    }

    @Override
    protected void deallocate() {
        outlet.left(this);
    }
}
