package net.oooops.sigma.call;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.testkit.RawServer;

/** A gateway with one Bolt server on a free port of the loopback address, made from a sigma.json as a user would write it. */
final class BoltFixture extends WrittenGateway {
    private final Builder builder;

    private BoltFixture(Builder builder) throws StartException {
        super(builder.root, builder.workers);
        this.builder = builder;
    }

    /** Has what the builder says by now hold. */
    void reload() throws StartException {
        follow(builder.root);
    }

    /** Sets a key of its server, for calls that begin from now on. */
    void reload(String key, Object value) {
        try {
            follow(builder.server(key, value).root);
        } catch (StartException e) {
            throw new AssertionError(e);
        }
    }

    /** In front of these nodes. */
    static Builder to(RawServer... nodes) {
        Builder builder = new Builder();
        for (RawServer node : nodes) {
            builder.node(node.port());
        }
        return builder;
    }

    /** What to start. Each method sets one key and returns this. */
    static final class Builder {
        private final ObjectNode root = JSON.createObjectNode();
        private final ObjectNode server =
                root.putObject("proxy-server").putArray("bolt").addObject();
        private final ArrayNode routes;
        private final ArrayNode passes = root.putArray("proxy-pass");
        private final ObjectNode pass = passes.addObject();
        private final ArrayNode upstreams = root.putArray("upstream");
        private final ObjectNode upstream = upstreams.addObject();
        private final ArrayNode nodes = upstream.putArray("nodes");
        private int workers = 1;

        private Builder() {
            server.put("id", "bolt").put("host", "127.0.0.1").put("port", 0);
            ObjectNode router = root.putArray("router").addObject();
            router.put("id", "router").put("proxy-server-id", "bolt");
            routes = router.putArray("route");
            pass.put("id", "pass").put("upstream-id", "upstream");
            upstream.put("id", "upstream");
            root.set("runtime", WrittenGateway.runtime());
        }

        Builder node(int port) {
            nodes.add("bolt://127.0.0.1:" + port);
            return this;
        }

        /** A node that TLS is spoken to. */
        Builder secureNode(int port) {
            nodes.add("bolts://127.0.0.1:" + port);
            return this;
        }

        Builder upstream(String key, Object value) {
            upstream.set(key, JSON.valueToTree(value));
            return this;
        }

        /** In mode relay. */
        Builder relay() {
            root.remove("router");
            server.put("mode", "relay").put("proxy-pass-id", "pass");
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

        /** A key of {@code runtime}. */
        Builder runtime(String key, Object value) {
            root.withObject("/runtime").set(key, JSON.valueToTree(value));
            return this;
        }

        /** A key of {@code proxy-client.bolt}. */
        Builder nodes(String key, Object value) {
            root.withObject("/proxy-client/bolt").set(key, JSON.valueToTree(value));
            return this;
        }

        /** A route to a node of its own. */
        Builder route(Map<String, Object> route, RawServer node) {
            String id = "to-" + node.port();
            ObjectNode made = JSON.valueToTree(route);
            routes.add(made.put("id", id).put("proxy-pass-id", id));
            passes.addObject().put("id", id).put("upstream-id", id);
            upstreams.addObject().put("id", id).putArray("nodes").add("bolt://127.0.0.1:" + node.port());
            return this;
        }

        /** A section at the top. */
        Builder top(String key, Object value) {
            root.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder workers(int count) {
            workers = count;
            return this;
        }

        BoltFixture start() {
            if (nodes.isEmpty()) {
                passes.remove(0);
                upstreams.remove(0);
            } else {
                routes.addObject().put("id", "rest").put("proxy-pass-id", "pass");
            }
            try {
                return new BoltFixture(this);
            } catch (StartException e) {
                throw new AssertionError(e);
            }
        }
    }
}
