package net.oooops.sigma.cli;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import org.jspecify.annotations.Nullable;

/** What {@code sigma run} says on its way: few lines, the first of them with the address to ask. */
final class Announcement {
    private final PrintStream out;

    Announcement(PrintStream out) {
        this.out = out;
    }

    /** It listens. */
    void started(Gateway gateway, @Nullable Embedded embedded) {
        StringBuilder text =
                new StringBuilder("sigma ").append(Versions.read().sigma()).append('\n');
        SigmaConfig config = gateway.config();
        List<InetSocketAddress> addresses = gateway.addresses();
        for (int i = 0; i < addresses.size(); i++) {
            Listener listener = config.allListeners().get(i);
            String url = Wording.scheme(listener)
                    + Wording.authority(listener.host(), addresses.get(i).getPort());
            String mode = Wording.mode(listener);
            line(text, "listens on", url + " (" + listener.id() + mode + note(embedded) + ")");
        }
        line(
                text,
                "transport",
                gateway.transport().name() + " (" + gateway.transport().reason() + ")");
        line(text, "workers", String.valueOf(gateway.workerCount()));
        if (embedded == null) {
            line(text, "routing", CheckCommand.counts(config));
        } else {
            String taken = embedded.upstreamPort() == Embedded.UPSTREAM_PORT
                    ? ""
                    : "; " + Embedded.UPSTREAM_PORT + " is taken";
            line(
                    text,
                    "upstream",
                    "http://127.0.0.1:" + embedded.upstreamPort() + " (built in, to try with" + taken + ")");
            line(text, "route", "/test/* to that, rewritten to /*");
            line(text, "try", "curl -i http://127.0.0.1:" + embedded.port() + "/test/hello");
        }
        out.print(text);
        out.flush();
    }

    private static String note(@Nullable Embedded embedded) {
        return embedded == null || embedded.port() == Embedded.PORT ? "" : "; " + Embedded.PORT + " is taken";
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append("  ")
                .append(what)
                .repeat(' ', 12 - what.length())
                .append(value)
                .append('\n');
    }

    /** The end was asked for. */
    void draining(long connections, Duration drain) {
        out.println("draining: " + Wording.count(connections, "connection") + ", up to "
                + Wording.duration(drain.toNanos()));
        out.flush();
    }

    /** All is over. */
    void stopped(long cut, Duration drain) {
        out.println(
                cut == 0
                        ? "stopped"
                        : "stopped: " + Wording.count(cut, "connection") + " cut after "
                                + Wording.duration(drain.toNanos()));
        out.flush();
    }
}
