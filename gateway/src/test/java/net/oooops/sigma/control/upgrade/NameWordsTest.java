package net.oooops.sigma.control.upgrade;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.control.socket.PlainJson;
import net.oooops.sigma.names.LastAnswers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What name servers have said last is known to the gateway that follows. */
class NameWordsTest {
    private static LastAnswers.All read(String json) throws IOException {
        return NameWords.read(PlainJson.read(json.getBytes(UTF_8)));
    }

    @Test
    void whatWasSaidIsCarriedOver() throws IOException {
        LastAnswers.All known = new LastAnswers.All(
                Map.of(
                        "a.example",
                        List.of(InetAddress.getByName("10.0.0.2"), InetAddress.getByName("fd00::1")),
                        "b.example",
                        List.of(InetAddress.getByName("10.0.0.1"))),
                Map.of(
                        "_http._tcp.example",
                        List.of(
                                new NodeConfig("a.example", 80, 7, false, ""),
                                new NodeConfig("b.example", 81, 1, true, "")),
                        "none.example",
                        List.of()));

        assertThat(NameWords.read(PlainJson.read(PlainJson.line(NameWords.of(known)))))
                .isEqualTo(known);
    }

    /** Versions before this one say nothing of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"hosts\": null, \"services\": 1}",
                "{\"hosts\": [], \"services\": []}",
                "{\"hosts\": {\"a\": []}}",
                "{\"hosts\": {\"a\": [null, 1, {}, \"localhost\", \"1.2.3\"], \"b\": 1, \"c\": {}}}",
                "{\"services\": {\"a\": [null, 1, \"a:80\", {}], \"b\": 1, \"c\": null}}",
                "{\"services\": {\"a\": [{\"host\": \"a b\", \"port\": 1, \"weight\": 1, \"backup\": false}]}}",
                "{\"services\": {\"a\": [{\"host\": \"a\", \"port\": 0, \"weight\": 1, \"backup\": false}]}}",
                "{\"services\": {\"a\": [{\"host\": \"a\", \"port\": 65536, \"weight\": 1, \"backup\": false}]}}",
                "{\"services\": {\"a\": [{\"host\": \"a\", \"port\": 1, \"weight\": 0, \"backup\": false}]}}",
                "{\"services\": {\"a\": [{\"host\": \"a\", \"port\": 1, \"weight\": 1}]}}"
            })
    void whatIsNotUnderstoodIsLeftOut(String message) throws IOException {
        assertThat(read(message)).isEqualTo(new LastAnswers.All(Map.of(), Map.of()));
    }
}
