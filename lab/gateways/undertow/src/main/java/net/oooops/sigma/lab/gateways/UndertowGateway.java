package net.oooops.sigma.lab.gateways;

import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.handlers.proxy.LoadBalancingProxyClient;
import io.undertow.server.handlers.proxy.ProxyHandler;
import java.net.URI;
import org.xnio.Options;

/** Undertow's own proxy handler, one node, few connections to it. Arguments: port, the node's port, cores. */
public final class UndertowGateway {

    private static final int NODE_CONNECTIONS_MAX = 64;
    private static final int WAITING_MAX = 4_096;
    private static final int REQUEST_MILLIS_MAX = 60_000;
    private static final int BACKLOG = 4_096;
    private static final int FOREVER_SECONDS = 3_600;

    private UndertowGateway() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(arguments[0]);
        int nodePort = Integer.parseInt(arguments[1]);
        int cores = Integer.parseInt(arguments[2]);
        // Each of its threads has connections of its own, and a queue.
        LoadBalancingProxyClient node = new LoadBalancingProxyClient()
                .setConnectionsPerThread(NODE_CONNECTIONS_MAX / cores)
                .setSoftMaxConnectionsPerThread(NODE_CONNECTIONS_MAX / cores)
                .setMaxQueueSize(WAITING_MAX)
                .setTtl(FOREVER_SECONDS * 1_000)
                .addHost(URI.create("http://127.0.0.1:" + nodePort));
        ProxyHandler proxy = ProxyHandler.builder()
                .setProxyClient(node)
                .setMaxRequestTime(REQUEST_MILLIS_MAX)
                .setRewriteHostHeader(false)
                .build();
        Undertow.builder()
                .addHttpListener(port, "127.0.0.1")
                .setIoThreads(cores)
                .setWorkerThreads(cores)
                .setSocketOption(Options.BACKLOG, BACKLOG)
                .setServerOption(UndertowOptions.ALWAYS_SET_DATE, false)
                .setHandler(proxy)
                .build()
                .start();
    }
}
