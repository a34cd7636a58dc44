package net.oooops.sigma.interop;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Files of configuration: listeners on any port of the loopback address, before nodes of a test. */
final class SigmaJson {
    private static final String EVERY_MODE = """
            {
              "proxy-server": {
                "bolt": [
                  {"id": "relay", "host": "127.0.0.1", "port": 0, "idle-timeout": "IDLE", "mode": "relay",
                   "proxy-pass-id": "to-nodes"},
                  {"id": "route", "host": "127.0.0.1", "port": 0, "idle-timeout": "IDLE"}
                ]
              },
              "router": [
                {"id": "calls", "proxy-server-id": "route", "route": [{"id": "all", "proxy-pass-id": "to-nodes"}]}
              ],
              "proxy-pass": [{"id": "to-nodes", "upstream-id": "nodes"}],
              "upstream": [{"id": "nodes", "rule-strategy": "round-robin", "nodes": [NODES]}],
              "proxy-client": {"bolt": {"heartbeat-interval": "15s", "heartbeat-misses": 3}},
              "timeouts": {"drain": "DRAIN"}
            }
            """;

    /** One listener in front of each thing that can go wrong. */
    private static final String FAULTS = """
            {
              "proxy-server": {
                "bolt": [
                  {"id": "no-route", "host": "127.0.0.1", "port": 0},
                  {"id": "no-node", "host": "127.0.0.1", "port": 0},
                  {"id": "no-node-relay", "host": "127.0.0.1", "port": 0, "mode": "relay", "proxy-pass-id": "dead"},
                  {"id": "slow", "host": "127.0.0.1", "port": 0},
                  {"id": "narrow", "host": "127.0.0.1", "port": 0, "max-requests-in-flight": 2}
                ]
              },
              "router": [
                {"id": "none", "proxy-server-id": "no-route",
                 "route": [{"id": "others", "class-name": "com.acme.*", "proxy-pass-id": "alive"}]},
                {"id": "dead", "proxy-server-id": "no-node", "route": [{"id": "dead", "proxy-pass-id": "dead"}]},
                {"id": "slow", "proxy-server-id": "slow", "route": [{"id": "slow", "proxy-pass-id": "impatient"}]},
                {"id": "narrow", "proxy-server-id": "narrow", "route": [{"id": "narrow", "proxy-pass-id": "alive"}]}
              ],
              "proxy-pass": [
                {"id": "alive", "upstream-id": "alive"},
                {"id": "impatient", "upstream-id": "alive", "timeout": "700ms"},
                {"id": "dead", "upstream-id": "dead"}
              ],
              "upstream": [
                {"id": "alive", "nodes": [NODES]},
                {"id": "dead", "nodes": ["bolt://127.0.0.1:DEAD"]}
              ],
              "timeouts": {"drain": "1s"}
            }
            """;

    private static final String BY_KIND = """
            {
              "proxy-server": {"bolt": [{"id": "route", "host": "127.0.0.1", "port": 0}]},
              "router": [
                {"id": "calls", "proxy-server-id": "route", "route": [
                  {"id": "greeter", "class-name": "com.alipay.sofa.rpc.core.request.SofaRequest",
                   "header": [{"name": "sofa_head_target_service", "prefix": "INTERFACE:"}],
                   "proxy-pass-id": "to-first"},
                  {"id": "ask", "class-name": "net.oooops.sigma.interop.*", "proxy-pass-id": "to-second"}
                ]}
              ],
              "proxy-pass": [
                {"id": "to-first", "upstream-id": "first"},
                {"id": "to-second", "upstream-id": "second"}
              ],
              "upstream": [
                {"id": "first", "nodes": [FIRST]},
                {"id": "second", "nodes": [SECOND]}
              ],
              "timeouts": {"drain": "1s"}
            }
            """;

    private static final String WEB = """
            {
              "proxy-server": {
                "http": [
                  {"id": "plain", "host": "127.0.0.1", "port": 0},
                  {"id": "h2c", "host": "127.0.0.1", "port": 0, "http2": "only"}
                ],
                "https": {"id": "tls", "host": "127.0.0.1", "port": 0, "ssl": {"certPath": "CERTIFICATE", "keyPath": "KEY"}}
              },
              "router": [
                {"id": "of-plain", "proxy-server-id": "plain", "route": ROUTES},
                {"id": "of-h2c", "proxy-server-id": "h2c", "route": ROUTES},
                {"id": "of-tls", "proxy-server-id": "tls", "route": ROUTES}
              ],
              "proxy-pass": [{"id": "to-node", "upstream-id": "node"}, {"id": "to-echo", "upstream-id": "echo"}],
              "upstream": [
                {"id": "node", "nodes": ["http://127.0.0.1:NODE"]},
                {"id": "echo", "nodes": ["ECHO"]}
              ],
              "timeouts": {"drain": "1s"}
            }
            """;

    private static final String GRPC = """
            {
              "proxy-server": {
                "http": {"id": "plain", "host": "127.0.0.1", "port": 0},
                "https": [
                  {"id": "tls", "host": "127.0.0.1", "port": 0, "ssl": {"certPath": "CERTIFICATE", "keyPath": "KEY"}},
                  {"id": "tls-both", "host": "127.0.0.1", "port": 0, "ssl": {"certPath": "CERTIFICATE", "keyPath": "KEY"}}
                ]
              },
              "router": [
                {"id": "of-plain", "proxy-server-id": "plain", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "h2c"}]},
                {"id": "of-tls", "proxy-server-id": "tls", "route": [{"id": "b", "path": "/*", "proxy-pass-id": "h2c"}]},
                {"id": "of-both", "proxy-server-id": "tls-both", "route": [{"id": "c", "path": "/*", "proxy-pass-id": "h2"}]}
              ],
              "proxy-pass": [{"id": "h2c", "upstream-id": "h2c"}, {"id": "h2", "upstream-id": "h2"}],
              "upstream": [
                {"id": "h2c", "nodes": ["h2c://127.0.0.1:PLAIN"]},
                {"id": "h2", "nodes": ["h2://127.0.0.1:TLS"], "ssl": {"ca": "AUTHORITY", "server-name": "NAME"}}
              ],
              "timeouts": {"drain": "1s"}
            }
            """;

    private static final String WEB_ROUTES = "[{\"id\": \"echo\", \"path\": \"/ws\", \"proxy-pass-id\": \"to-echo\"},"
            + " {\"id\": \"all\", \"path\": \"/*\", \"proxy-pass-id\": \"to-node\"}]";

    private static final String GRPC_WEB_ROUTES =
            "[{\"id\": \"all\", \"path\": \"/*\", \"plugin\": {\"grpc-web\": {}}, \"proxy-pass-id\": \"to-node\"}]";

    /** All of it in each coding, below a folder of its name. */
    private static final String CODING_ROUTES = Stream.of("gzip", "br", "zstd")
            .map(coding -> """
                    {"id": "CODING", "path": "/CODING/*", "proxy-pass-id": "to-node", "plugin": {
                      "compression": {"encodings": ["CODING"]},
                      "rewrite-path": {"regexp": "^/CODING/", "replacement": "/"}
                    }},
                    """.replace("CODING", coding))
            .collect(Collectors.joining(
                    "", "[", "{\"id\": \"all\", \"path\": \"/*\", \"proxy-pass-id\": \"to-node\"}]"));

    private SigmaJson() {}

    /** HTTP with and without TLS; everything leads to one node, but for the path of WebSocket, which leads to a node with that URL. */
    static String web(Certificate certificate, int nodePort, String echoUrl) {
        return WEB.replace("CERTIFICATE", certificate.file().toString())
                .replace("KEY", certificate.key().toString())
                .replace("ROUTES", WEB_ROUTES)
                .replace("NODE", String.valueOf(nodePort))
                .replace("ECHO", echoUrl);
    }

    /** One listener for each {@link GrpcWire}, before a node of each kind. */
    static String grpc(Certificate certificate, Path authority, String name, int plainPort, int tlsPort) {
        return GRPC.replace("CERTIFICATE", certificate.file().toString())
                .replace("KEY", certificate.key().toString())
                .replace("AUTHORITY", authority.toString())
                .replace("NAME", name)
                .replace("PLAIN", String.valueOf(plainPort))
                .replace("TLS", String.valueOf(tlsPort));
    }

    /** The same servers before one node, whose answers are compressed in the coding that the path begins with. */
    static String codings(Certificate certificate, int nodePort) {
        return web(certificate, nodePort, "http://127.0.0.1:" + nodePort).replace(WEB_ROUTES, CODING_ROUTES);
    }

    /** The same servers, with gRPC-Web, before one node of gRPC. */
    static String grpcWeb(Certificate certificate, int nodePort) {
        return web(certificate, nodePort, "http://127.0.0.1:" + nodePort)
                .replace(WEB_ROUTES, GRPC_WEB_ROUTES)
                .replace("http://127", "h2c://127");
    }

    /** One listener for each {@link Mode}, all before the same nodes. */
    static String everyMode(Node... nodes) {
        return everyMode("1m", "1s", nodes);
    }

    /** The same, with an idle timeout. */
    static String everyModeIdle(String idleTimeout, Node... nodes) {
        return everyMode(idleTimeout, "1s", nodes);
    }

    /** The same, with the time that a stop may take. */
    static String everyModeDraining(String drain, Node... nodes) {
        return everyMode("1m", drain, nodes);
    }

    /** The same, with heartbeats of the gateway to a node that says nothing. */
    static String heartbeats(String interval, int misses, Node... nodes) {
        return everyMode("1m", "1s", nodes)
                .replace("\"15s\"", '"' + interval + '"')
                .replace("\"heartbeat-misses\": 3", "\"heartbeat-misses\": " + misses);
    }

    private static String everyMode(String idleTimeout, String drain, Node... nodes) {
        return EVERY_MODE.replace("IDLE", idleTimeout).replace("DRAIN", drain).replace("NODES", urls(nodes));
    }

    /** Listeners that lead nowhere, to a port where nobody listens, or to this node with little patience or few calls. */
    static String faults(int deadPort, Node node) {
        return FAULTS.replace("DEAD", String.valueOf(deadPort)).replace("NODES", urls(node));
    }

    /** One listener that takes calls of {@link Greeter} to one node and those of SOFABolt's own clients to another. */
    static String byKind(Node greeter, Node ask) {
        return BY_KIND.replace("INTERFACE", Greeter.class.getName())
                .replace("FIRST", urls(greeter))
                .replace("SECOND", urls(ask));
    }

    private static String urls(Node... nodes) {
        return Arrays.stream(nodes)
                .map(node -> "\"bolt://127.0.0.1:" + node.port() + '"')
                .collect(Collectors.joining(", "));
    }
}
