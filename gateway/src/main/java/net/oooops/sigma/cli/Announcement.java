package net.oooops.sigma.cli;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.admin.Versions;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.RuntimeConfig.ThreadModel;
import net.oooops.sigma.config.Secrets;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.plugin.PluginCatalog;
import org.jspecify.annotations.Nullable;

/** What {@code sigma run} says on its way: few lines, the first of them with the address to ask. */
final class Announcement {
    private final PrintStream out;
    private final Secrets secrets;

    /** @param secrets what may not be printed */
    Announcement(PrintStream out, Secrets secrets) {
        this.out = out;
        this.secrets = secrets;
    }

    /**
     * It listens.
     *
     * @param embedded what it runs where no configuration was named, or null
     * @param routing where it leads, in words; null to count what its file has
     */
    void started(Gateway gateway, @Nullable Embedded embedded, @Nullable String routing) {
        StringBuilder text =
                new StringBuilder("sigma ").append(Versions.read().sigma()).append('\n');
        SigmaConfig config = gateway.config();
        List<InetSocketAddress> addresses = gateway.addresses();
        for (int i = 0; i < addresses.size(); i++) {
            Listener listener = config.allListeners().get(i);
            String url = Wording.scheme(listener)
                    + Wording.authority(listener.host(), addresses.get(i).getPort());
            String mode = Wording.mode(listener);
            line(
                    text,
                    "listens on",
                    url + " (" + listener.id() + mode + Wording.certificate(listener) + note(embedded) + ")");
        }
        InetSocketAddress admin = gateway.adminAddress();
        if (admin != null && config.admin() != null) {
            line(
                    text,
                    "admin",
                    "http://" + Wording.authority(config.admin().host(), admin.getPort())
                            + " (/metrics, /nodes, /health/live, /health/ready)");
        }
        line(
                text,
                "transport",
                gateway.transport().name() + " (" + gateway.transport().reason() + ")");
        line(text, "workers", gateway.workerCount() + threads(config.runtime().threadModel()));
        if (embedded == null) {
            line(text, "routing", routing == null ? CheckCommand.counts(config) : routing);
        } else {
            String taken = taken(embedded, embedded.upstreamPort(), Embedded.UPSTREAM_PORT);
            line(
                    text,
                    "upstream",
                    "http://127.0.0.1:" + embedded.upstreamPort() + " (built in, to try with" + taken + ")");
            line(text, "route", "/test/* to that, rewritten to /*");
            line(text, "try", "curl -i http://127.0.0.1:" + embedded.port() + "/test/hello");
        }
        out.print(secrets.hide(text.toString()));
        out.flush();
    }

    /** Where its plugins are from that weren't built in. */
    void plugins(PluginCatalog plugins) {
        StringBuilder text = new StringBuilder();
        plugins.dropIns().all().forEach(each -> line(text, "plugins", PluginsFolder.text(each)));
        out.print(secrets.hide(text.toString()));
        out.flush();
    }

    private static String threads(ThreadModel model) {
        return switch (model) {
            case REUSE_SERVER_THREAD -> "";
            case REUSE_SERVER_GROUP -> " (reuse-server-group: connections to nodes on any of them)";
            case INDIVIDUAL_GROUP -> " (individual-group: connections to nodes on event loops of their own)";
        };
    }

    private static String note(@Nullable Embedded embedded) {
        return embedded == null ? "" : taken(embedded, embedded.port(), Embedded.PORT);
    }

    private static String taken(Embedded embedded, int port, int usual) {
        return port == usual || !embedded.host().equals(Embedded.HOST) ? "" : "; " + usual + " is taken";
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
