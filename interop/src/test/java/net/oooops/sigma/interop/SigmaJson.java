package net.oooops.sigma.interop;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Files of configuration: listeners on any port of the loopback address, before nodes of a test. */
final class SigmaJson {
    private static final String EVERY_MODE = """
            {
              "proxy-server": {
                "tcp": [{"id": "tcp", "host": "127.0.0.1", "port": 0, "idle-timeout": "IDLE", "proxy-pass-id": "to-tcp"}]
              },
              "proxy-pass": [
                {"id": "to-tcp", "upstream-id": "tcp-nodes"}
              ],
              "upstream": [
                {"id": "tcp-nodes", "rule-strategy": "round-robin", "nodes": [TCP_NODES]}
              ],
              "timeouts": {"drain": "DRAIN"}
            }
            """;

    private SigmaJson() {}

    /** One listener for each {@link Mode}, all before the same nodes. */
    static String everyMode(Node... nodes) {
        return everyModeIdle("1m", nodes);
    }

    /** The same, with an idle timeout. */
    static String everyModeIdle(String idleTimeout, Node... nodes) {
        return everyMode(idleTimeout, "1s", nodes);
    }

    /** The same, with the time that a stop may take. */
    static String everyModeDraining(String drain, Node... nodes) {
        return everyMode("1m", drain, nodes);
    }

    private static String everyMode(String idleTimeout, String drain, Node... nodes) {
        return EVERY_MODE.replace("IDLE", idleTimeout).replace("DRAIN", drain).replace("TCP_NODES", urls("tcp", nodes));
    }

    private static String urls(String scheme, Node... nodes) {
        return Arrays.stream(nodes)
                .map(node -> '"' + scheme + "://127.0.0.1:" + node.port() + '"')
                .collect(Collectors.joining(", "));
    }
}
