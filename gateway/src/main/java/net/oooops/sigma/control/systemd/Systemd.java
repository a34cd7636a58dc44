package net.oooops.sigma.control.systemd;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * systemd, or who else runs this process as a service and wants to know how it stands (sd_notify(3)); where nobody does, nothing is said. What can't be said is a warning of
 * the log.
 *
 * <p>Any thread.
 */
public final class Systemd {
    private static final String ENVIRONMENT = "NOTIFY_SOCKET";
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(Systemd.class);

    private final byte @Nullable [] path;

    private Systemd(byte @Nullable [] path) {
        this.path = path;
    }

    /** The one that the environment names. */
    public static Systemd of(Function<String, @Nullable String> environment) {
        String name = environment.apply(ENVIRONMENT);
        if (name == null || (!name.startsWith("/") && !name.startsWith("@"))) {
            return new Systemd(null);
        }
        byte[] path = name.getBytes(StandardCharsets.UTF_8);
        if (path[0] == '@') {
            // A name that isn't one of the file system: unix(7), abstract.
            path[0] = 0;
        }
        return new Systemd(path);
    }

    /** It serves. */
    public void ready() {
        say("READY=1");
    }

    /** It reads its configuration again; {@link #ready} follows. */
    public void reloading() {
        say("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
    }

    /** It ends what it has begun. */
    public void stopping() {
        say("STOPPING=1");
    }

    /** Another process is the service from now on. */
    public void mainProcess(long pid) {
        say("MAINPID=" + pid);
    }

    private void say(String state) {
        byte[] to = path;
        if (to == null) {
            return;
        }
        if (!Epoll.isAvailable()) {
            LOG.warn("systemd can't be told {}: there is no native library here", state);
            return;
        }
        byte[] bytes = state.getBytes(StandardCharsets.UTF_8);
        try {
            Socket socket = Socket.newSocketDomainDgram();
            try {
                ByteBuffer message =
                        ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
                send(socket, message, to);
            } finally {
                socket.close();
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("systemd can't be told {} ({})", state, e.getMessage());
        }
    }

    /** It reads one after the other: where it has much to read, that is waited for. */
    private static void send(Socket socket, ByteBuffer message, byte[] to) throws IOException {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (socket.sendToDomainSocket(message, 0, message.limit(), to) <= 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("it takes nothing");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
