package net.oooops.sigma.interop;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A node of WebSocket: the server of Python's {@code websockets}, which sends every message back. */
final class EchoNode implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (\\d+)");

    private final Child child;
    private final int port;

    private EchoNode(Child child) {
        this.child = child;
        this.port = Integer.parseInt(child.awaitSaid(READY));
    }

    static EchoNode start(Path folder) {
        Tool python = Tool.python();
        Needed.here(python.whyNot() == null, "Python's websockets: " + python.whyNot());
        List<String> words = new ArrayList<>(python.command());
        words.add(Tool.scripts().resolve("echo_node.py").toString());
        return new EchoNode(Child.program(folder, "echo", words));
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        child.close();
    }
}
