package net.oooops.sigma.interop;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A node of gRPC: the server of {@code @grpc/grpc-js}. */
final class GrpcNode implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (\\d+)");

    private final Child child;
    private final int port;

    private GrpcNode(Child child) {
        this.child = child;
        this.port = Integer.parseInt(child.awaitSaid(READY));
    }

    static GrpcNode start(Path folder) {
        Tool node = Tool.node();
        Needed.here(node.whyNot() == null, "@grpc/grpc-js: " + node.whyNot());
        List<String> words = new ArrayList<>(node.command());
        words.add(Tool.scripts().resolve("grpc_node.mjs").toString());
        return new GrpcNode(Child.program(folder, "grpc", words));
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        child.close();
    }
}
