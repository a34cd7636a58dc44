package net.oooops.sigma.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the gateway says by itself is one line: a sentence, its full stop and a line end, whoever refuses. */
class OwnTextsTest {
    private static final String KEYS = "{\"consumers\": [{\"id\": \"a\", \"keys\": [\"0123456789abcdef\"]}]}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "403 | \"ip-restriction\": {\"allow\": [\"192.0.2.1\"]}",
                "403 | \"csrf\": {}",
                "401 | \"key-auth\": " + KEYS,
                "413 | \"body-limit\": {\"max\": \"1B\"}",
                "415 | \"decompress-request\": {}",
                "429 | \"rate-limit\": {\"limits\": [{\"requests\": 1, \"per\": \"24h\"}]}",
                "502 | ''",
            })
    void refusalsAreOneLine(int status, String plugin) throws Exception {
        String json = """
                {
                  "proxy-server": { "http": { "id": "a" } },
                  "router": [{ "id": "x",
                    "proxy-server-id": "a",

                    "route": [{ "id": "a", "path": "/*", "proxy-pass-id": "a", "plugin": { %s } }]
                  }],
                  "proxy-pass": [{ "id": "a", "upstream-id": "a" }],
                  "upstream": [{ "id": "a", "nodes": ["http://127.0.0.1:1"] }]
                }
                """.formatted(plugin == null ? "" : plugin);
        try (TextGateway gateway = TextGateway.start(json);
                RawClient client = gateway.connect()) {
            RawResponse answer = ask(client);
            if (status == 429) {
                answer = ask(client);
            }

            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.bodyText()).matches("[A-Z][^\n]+\\.\n");
            assertThat(answer.header("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        }
    }

    private static RawResponse ask(RawClient client) throws Exception {
        client.send("POST / HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: cross-site\r\n"
                + "Content-Encoding: x-none\r\nContent-Length: 2\r\n\r\nab");
        return client.readResponse();
    }
}
