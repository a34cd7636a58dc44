package net.oooops.sigma.nodes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;

/** A gateway whose one upstream, {@code u}, gets its nodes from elsewhere. */
final class ChangingGateway extends WrittenGateway {
    private ChangingGateway(Builder builder) throws StartException {
        super(builder.root, builder.workers);
    }

    /** For HTTP. */
    static Builder http() {
        Builder builder = new Builder();
        ObjectNode router = builder.root.putArray("router").addObject();
        router.put("id", "r").put("proxy-server-id", "s");
        router.putArray("route").addObject().put("id", "a").put("path", "/*").put("proxy-pass-id", "p");
        builder.server.putObject("http").put("id", "s").put("host", "127.0.0.1").put("port", 0);
        return builder;
    }

    /** For TCP, UDP, or Bolt in mode route. */
    static Builder of(String protocol) {
        Builder builder = new Builder();
        builder.upstream.put("protocol", protocol);
        ObjectNode server = builder.server.putArray(protocol).addObject();
        server.put("id", "s").put("host", "127.0.0.1").put("port", 0);
        if (protocol.equals("bolt")) {
            ObjectNode router = builder.root.putArray("router").addObject();
            router.put("id", "r").put("proxy-server-id", "s");
            router.putArray("route").addObject().put("id", "a").put("proxy-pass-id", "p");
        } else {
            server.put("proxy-pass-id", "p");
        }
        return builder;
    }

    static RawResponse ask(RawClient client) {
        try {
            return client.send("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n").readResponse();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** That is its configuration from now on. */
    void follow(Builder builder) {
        try {
            follow(builder.root);
        } catch (StartException e) {
            throw new AssertionError("the gateway doesn't follow: " + e.getMessage(), e);
        }
    }

    /** What its one upstream is. */
    Upstream upstream() {
        return gateway().upstreams().getFirst();
    }

    /** What Workers have of a node; nothing where they no longer know it. */
    List<Counters.Pool> pools(String node) {
        return gateway().counters().pools().stream()
                .filter(pool -> pool.node().equals(node))
                .toList();
    }

    /** Its nodes by name, in their order. */
    List<String> names() {
        return gateway().nodes().stream().map(Node::name).toList();
    }

    /** Waits until its nodes are those, in whichever order. */
    void awaitNodes(String... names) {
        List<String> expected = List.of(names).stream().sorted().toList();
        Await.value(
                "nodes (expected: " + expected + ")",
                () -> names().stream().sorted().toList(),
                expected::equals);
    }

    /** What to start. Each method sets one thing and returns this. */
    static final class Builder {
        private final ObjectNode root = JSON.createObjectNode();
        private final ObjectNode server = root.putObject("proxy-server");
        private final ObjectNode upstream;
        private int workers = 1;

        private Builder() {
            root.putArray("proxy-pass").addObject().put("id", "p").put("upstream-id", "u");
            upstream = root.putArray("upstream").addObject().put("id", "u");
            root.set("runtime", WrittenGateway.runtime());
        }

        Builder upstream(String key, Object value) {
            upstream.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder section(String name, Object value) {
            root.set(name, JSON.valueToTree(value));
            return this;
        }

        Builder setting(String key, Object value) {
            ((ObjectNode) root.get("runtime")).set(key, JSON.valueToTree(value));
            return this;
        }

        Builder admin() {
            server.putObject("admin").put("port", 0).putArray("ready-upstreams").add("u");
            return this;
        }

        Builder workers(int count) {
            workers = count;
            return this;
        }

        ChangingGateway start() {
            try {
                return new ChangingGateway(this);
            } catch (StartException e) {
                throw new AssertionError("the gateway doesn't start: " + e.getMessage(), e);
            }
        }
    }
}
