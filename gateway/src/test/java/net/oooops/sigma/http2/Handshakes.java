package net.oooops.sigma.http2;

import java.util.function.UnaryOperator;
import net.oooops.sigma.http.WebSocketKey;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.Step;

/** How nodes of HTTP/1.1 answer the handshake of a WebSocket. */
final class Handshakes {
    private Handshakes() {}

    /** Switches as it has to, and says that; then it is silent until its peer closes. */
    static Step switching(String then) {
        return answering(
                accept -> "Sec-WebSocket-Accept: " + accept + "\r\n",
                script -> script.send(then).halfClose().awaitPeerClose());
    }

    /** Switches, with these fields for the answer that belongs to the key. */
    static Step answering(UnaryOperator<String> fieldsOfAccept, UnaryOperator<Script> then) {
        return connection -> {
            ReceivedRequest request = connection.request();
            String key = request == null ? null : request.header("Sec-WebSocket-Key");
            String head = switched(fieldsOfAccept.apply(key == null ? "" : WebSocketKey.answerTo(key)));
            then.apply(Script.script().send(head)).run(connection);
        };
    }

    /** The head of a 101. */
    static String switched(String fieldsOfAccept) {
        return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Protocol: chat\r\n" + fieldsOfAccept + "\r\n";
    }
}
