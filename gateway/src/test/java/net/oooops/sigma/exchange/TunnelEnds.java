package net.oooops.sigma.exchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawServer;

/**
 * The client and the node of a connection whose protocol was switched by a gateway between them.
 *
 * @param client has read the head of the answer
 * @param node has sent it
 * @param request the head as the node got it
 * @param answer the head as the client got it
 */
record TunnelEnds(RawClient client, RawClient node, String request, RawHead answer) implements AutoCloseable {
    static final String ASK = "GET /chat HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n";

    static final String SWITCH = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";

    /** A new connection, switched. */
    static TunnelEnds open(GatewayFixture gateway, RawServer nodes) throws IOException {
        return open(gateway.connect(), nodes, ASK, SWITCH);
    }

    /** The same, with these heads. */
    static TunnelEnds open(RawClient client, RawServer nodes, String ask, String answer) throws IOException {
        client.send(ask);
        RawClient node = nodes.accept();
        String request = readRequest(node);
        node.send(answer);
        return new TunnelEnds(client, node, request, client.readHead());
    }

    /** The head of a request, as its node got it. */
    static String readRequest(RawClient node) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
            head.append((char) node.readExactly(1)[0]);
        }
        return head.toString();
    }

    /** Text passes both ways. */
    void pass(String text) throws IOException {
        client.send(text);
        read(node, text);
        node.send(text);
        read(client, text);
    }

    /** That text comes next. */
    static void read(RawClient from, String text) throws IOException {
        byte[] expected = text.getBytes(StandardCharsets.ISO_8859_1);
        byte[] read = from.readExactly(expected.length);
        if (!Arrays.equals(read, expected)) {
            throw new AssertionError(new String(read, StandardCharsets.ISO_8859_1) + " (expected: " + text + ")");
        }
    }

    @Override
    public void close() {
        client.close();
        node.close();
    }
}
