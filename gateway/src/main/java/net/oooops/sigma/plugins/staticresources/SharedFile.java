package net.oooops.sigma.plugins.staticresources;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.FilePart;
import org.jspecify.annotations.Nullable;

/**
 * A file that is open for all that are answered with it at the same time: whoever opened it holds it, and each answer. It is closed when nobody
 * holds it any more, and isn't opened again.
 *
 * <p>Safe for use from any thread, without waiting.
 */
final class SharedFile {
    private final FileChannel channel;
    private final AtomicInteger holders = new AtomicInteger(1);
    private final Runnable release = this::release;

    /** Held by the caller, until {@link #release}. */
    SharedFile(FileChannel channel) {
        this.channel = channel;
    }

    /** A body of these parts, which holds it; null where it has been closed, which a thread does, too, that is interrupted while it reads. */
    @Nullable FileBody body(List<FilePart> parts) {
        int held = channel.isOpen() ? holders.get() : 0;
        while (held > 0 && !holders.compareAndSet(held, held + 1)) {
            held = holders.get();
        }
        return held > 0 ? FileBody.ofShared(channel, parts, release) : null;
    }

    /** One holds it no more. */
    void release() {
        if (holders.decrementAndGet() == 0) {
            try {
                channel.close();
            } catch (IOException e) {
                // It was only read.
            }
        }
    }
}
