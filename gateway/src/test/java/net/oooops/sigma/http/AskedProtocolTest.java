package net.oooops.sigma.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AskedProtocolTest {
    private static final ProtocolNames ALLOWED = ProtocolNames.of(List.of("websocket", "IRC/6.9"));

    private final AskedProtocol protocol = new AskedProtocol();

    private boolean choose(String upgrade) {
        byte[] bytes = Octets.ascii("Upgrade: " + upgrade + "\r\n");
        return protocol.choose(bytes, "Upgrade: ".length(), bytes.length - 2, ALLOWED);
    }

    private boolean is(String other) {
        byte[] bytes = Octets.ascii("<" + other + ">");
        return protocol.is(bytes, 1, bytes.length - 1);
    }

    @Test
    void theFirstAllowedOneIsChosenAndWrittenAsItCame() {
        assertThat(choose("h2c, irc/6.9 , WebSocket")).isTrue();
        assertThat(protocol.isChosen()).isTrue();
        assertThat(protocol).hasToString("irc/6.9");
        HeadWriter out = new HeadWriter().begin();
        protocol.writeTo(out);
        assertThat(out.text()).isEqualTo("irc/6.9");
    }

    @Test
    void letterCaseDoesNotCount() {
        assertThat(choose("WebSocket")).isTrue();
        assertThat(protocol.is(WebSocketKey.WEBSOCKET)).isTrue();
        assertThat(is("WEBsocket")).isTrue();
        assertThat(is("websockets")).isFalse();
        assertThat(is("websocke")).isFalse();
        assertThat(is("websocker")).isFalse();
    }

    @Test
    void noneIsChosenWhereNoneIsAllowed() {
        assertThat(choose("h2c, web")).isFalse();
        assertThat(protocol.isChosen()).isFalse();
        assertThat(protocol.is(WebSocketKey.WEBSOCKET)).isFalse();
        assertThat(protocol).hasToString("");
    }

    @Test
    void theNextRequestHasNone() {
        assertThat(choose("websocket")).isTrue();
        protocol.clear();
        assertThat(protocol.isChosen()).isFalse();
        assertThat(protocol.is(WebSocketKey.WEBSOCKET)).isFalse();
    }
}
