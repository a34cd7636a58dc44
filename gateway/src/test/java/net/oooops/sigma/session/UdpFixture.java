package net.oooops.sigma.session;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.Needed;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.Takeover;
import net.oooops.sigma.observe.Counters;

/** A gateway with one UDP server on a free port of the loopback address, made from a sigma.json as a user would write it. */
final class UdpFixture extends WrittenGateway {
    private UdpFixture(Builder builder) throws StartException {
        super(builder.root, builder.workers, builder.before);
    }

    /** Sessions that begin from now on follow that. */
    void reload(Builder next) throws StartException {
        follow(next.root);
    }

    /** On this transport, where it works; in front of these nodes. */
    static Builder on(Transport transport, RawUdp... nodes) {
        assumeTrue(transport != Transport.KQUEUE, "UDP with kqueue");
        Needed.transport(transport);
        Builder builder = new Builder(transport);
        for (RawUdp node : nodes) {
            builder.node(node.port());
        }
        return builder;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
    }

    /** How many sessions each node has. */
    List<Integer> sessionsOfNodes() {
        return gateway().counters().pools().stream().map(Counters.Pool::open).toList();
    }

    /** What to start. Each method sets one key and returns this. */
    static final class Builder {
        private final ObjectNode root = JSON.createObjectNode();
        private final ObjectNode server =
                root.putObject("proxy-server").putArray("udp").addObject();
        private final ObjectNode pass = root.putArray("proxy-pass").addObject();
        private final ObjectNode upstream = root.putArray("upstream").addObject();
        private final ArrayNode nodes = upstream.putArray("nodes");
        private int workers = 1;
        private Takeover before = Takeover.NONE;

        private Builder(Transport transport) {
            server.put("id", "udp").put("host", "127.0.0.1").put("port", 0).put("proxy-pass-id", "pass");
            pass.put("id", "pass").put("upstream-id", "upstream");
            upstream.put("id", "upstream");
            root.putObject("runtime").put("transport", transport.name().toLowerCase(Locale.ROOT));
        }

        Builder node(int port) {
            return node("127.0.0.1", port);
        }

        Builder node(String host, int port) {
            nodes.add("udp://" + host + ":" + port);
            return this;
        }

        Builder server(String key, Object value) {
            server.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder pass(String key, Object value) {
            pass.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder upstream(String key, Object value) {
            upstream.set(key, JSON.valueToTree(value));
            return this;
        }

        /** A key of {@code runtime}. */
        Builder runtime(String key, Object value) {
            ((ObjectNode) root.get("runtime")).set(key, JSON.valueToTree(value));
            return this;
        }

        Builder accessLog(Path file) {
            root.set(
                    "plugins",
                    JSON.valueToTree(Map.of("log-config", Map.of("format", "json", "file", file.toString()))));
            return this;
        }

        /** In the place of what was there. */
        Builder after(Takeover takeover) {
            before = takeover;
            return this;
        }

        Builder workers(int count) {
            workers = count;
            return this;
        }

        UdpFixture start() {
            try {
                return tryStart();
            } catch (StartException e) {
                throw new AssertionError(e);
            }
        }

        UdpFixture tryStart() throws StartException {
            return new UdpFixture(this);
        }
    }
}
