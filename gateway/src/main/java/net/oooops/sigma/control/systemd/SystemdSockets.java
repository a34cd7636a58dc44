package net.oooops.sigma.control.systemd;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import net.oooops.sigma.control.Takeover;
import net.oooops.sigma.listen.PassedSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sockets that systemd has bound for this process (sd_listen_fds(3)). A Listener at the same address takes them over; nobody takes over the others. */
public final class SystemdSockets {
    private static final Logger LOG = LoggerFactory.getLogger(SystemdSockets.class);
    private static final int FIRST = 3;
    private static final int MAX = 1024;

    private SystemdSockets() {}

    /** What the environment tells of; {@link Takeover#NONE} where that is nothing, or meant for another process. */
    public static Takeover of(Function<String, @Nullable String> environment) {
        return of(environment, ProcessHandle.current().pid(), FIRST);
    }

    static Takeover of(Function<String, @Nullable String> environment, long pid, int first) {
        String count = environment.apply("LISTEN_FDS");
        if (count == null
                || !count.matches("[0-9]{1,4}")
                || !String.valueOf(pid).equals(environment.apply("LISTEN_PID"))) {
            return Takeover.NONE;
        }
        int number = Math.min(Integer.parseInt(count), MAX);
        return number == 0 ? Takeover.NONE : () -> sockets(first, number);
    }

    private static List<PassedSocket> sockets(int first, int count) {
        List<PassedSocket> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try {
                all.add(PassedSocket.of("", first + i));
            } catch (IOException e) {
                LOG.warn("a socket that systemd has passed isn't taken over: {}", e.getMessage());
            }
        }
        return all;
    }
}
