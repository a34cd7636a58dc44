package net.oooops.sigma.session;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.testkit.RawServer;

/** A gateway with one TCP server on a free port of the loopback address, made from a sigma.json as a user would write it. */
final class TcpFixture extends WrittenGateway {
    private TcpFixture(Builder builder) throws StartException {
        super(builder.root, builder.workers);
    }

    /** In front of these nodes. */
    static Builder to(RawServer... nodes) {
        Builder builder = new Builder();
        for (RawServer node : nodes) {
            builder.node(node.port());
        }
        return builder;
    }

    /** Sessions that begin from now on follow that. */
    void reload(Builder next) throws StartException {
        follow(next.root);
    }

    /** What to start. Each method sets one key and returns this. */
    static final class Builder {
        private final ObjectNode root = JSON.createObjectNode();
        private final ObjectNode server =
                root.putObject("proxy-server").putArray("tcp").addObject();
        private final ArrayNode passes = root.putArray("proxy-pass");
        private final ObjectNode pass = passes.addObject();
        private final ArrayNode upstreams = root.putArray("upstream");
        private final ObjectNode upstream = upstreams.addObject();
        private final ObjectNode runtime = WrittenGateway.runtime();
        private final ArrayNode nodes = upstream.putArray("nodes");
        private int workers = 1;

        private Builder() {
            server.put("id", "tcp").put("host", "127.0.0.1").put("port", 0).put("proxy-pass-id", "pass");
            pass.put("id", "pass").put("upstream-id", "upstream");
            upstream.put("id", "upstream");
            root.set("runtime", runtime);
        }

        /** One key of {@code runtime}. */
        Builder runtime(String key, String value) {
            runtime.put(key, value);
            return this;
        }

        /** A route, with a proxy-pass and an upstream of its own. */
        Builder leads(String id, Object match, String... urls) {
            server.withArray("route")
                    .addObject()
                    .put("id", id)
                    .put("proxy-pass-id", id)
                    .set("match", JSON.valueToTree(match));
            passes.addObject().put("id", id).put("upstream-id", id);
            upstreams.addObject().put("id", id).set("nodes", JSON.valueToTree(urls));
            return this;
        }

        /** Sessions that no route takes are refused. */
        Builder nowhereElse() {
            server.remove("proxy-pass-id");
            return this;
        }

        /** A node that TLS is spoken to. */
        Builder secureNode(int port) {
            nodes.add("tls://127.0.0.1:" + port);
            return this;
        }

        Builder node(int port) {
            nodes.add("tcp://127.0.0.1:" + port);
            return this;
        }

        Builder node(int port, int weight) {
            nodes.addObject().put("url", "tcp://127.0.0.1:" + port).put("weight", weight);
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

        /** A section at the top. */
        Builder top(String key, Object value) {
            root.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder workers(int count) {
            workers = count;
            return this;
        }

        TcpFixture start() {
            try {
                return new TcpFixture(this);
            } catch (StartException e) {
                throw new AssertionError(e);
            }
        }
    }
}
