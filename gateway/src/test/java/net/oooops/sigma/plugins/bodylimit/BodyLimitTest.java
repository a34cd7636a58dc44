package net.oooops.sigma.plugins.bodylimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BodyLimitTest {
    private static final String CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(Map<String, ?> settings) {
        return GatewayFixture.to(node)
                .plugin("body-limit", settings)
                .accessLog(dir.resolve("access.log"))
                .start();
    }

    private static String post(String body) {
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void aLengthThatIsTooLargeIsRefusedAtOnce() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B"))) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(post("hello")).readResponse().bodyText()).isEqualTo("hello");
                ReceivedRequest seen = node.requests().getLast();
                assertThat(seen.header("Content-Length"))
                        .as("it streams as it came")
                        .isEqualTo("5");
                assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
            }
            for (String length : List.of("6", "9223372036854775807")) {
                try (RawClient client = gateway.connect()) {
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n");
                    assertThat(client.readResponse().status()).isEqualTo(413);
                }
            }
            assertThat(node.requestCount()).isEqualTo(2);
        }
        assertThat(Files.readString(dir.resolve("access.log"))).contains("body-limit: too-large");
    }

    @Test
    void aBodyWithoutALengthIsCutOnceItIsTooLarge() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B"))) {
            try (RawClient client = gateway.connect()) {
                client.send(CHUNKED + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("hello");
                assertThat(node.requests().getLast().bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            }
            try (RawClient client = gateway.connect()) {
                client.send(CHUNKED + "5\r\nhello\r\n");
                Await.until("the node is asked", () -> node.connectionCount() > 0);
                client.send("1\r\n!\r\n0\r\n\r\n");
                assertThat(client.readResponse().status()).isEqualTo(413);
            }
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isEqualTo(1);
            Await.until(
                    "the node sees it cut",
                    () -> node.requests().getLast().bodyEnd().truncated());
            assertThat(node.requests().getLast().bodyBytes()).isLessThanOrEqualTo(5);
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(post("fine")).readResponse().bodyText()).isEqualTo("fine");
            }
        }
        assertThat(Files.readString(dir.resolve("access.log"))).contains("body larger than 5 bytes");
    }

    /** A chunk that comes with the head, and is too large, opens no connection. */
    @Test
    void whatIsTooLargeFromTheBeginningReachesNoNode() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B"));
                RawClient client = gateway.connect()) {
            client.send(CHUNKED + "6\r\nhello!\r\n0\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(413);
            assertThat(node.requestCount()).isZero();
        }
    }

    @Test
    void wholeBodiesReachNoNodeInPart() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B", "whole", true))) {
            try (RawClient client = gateway.connect()) {
                client.sendByteByByte(CHUNKED + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("hello");
            }
            try (RawClient client = gateway.connect()) {
                client.sendByteByByte(CHUNKED + "5\r\nhello\r\n1\r\n!");
                assertThat(client.readResponse().status()).isEqualTo(413);
            }
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(post("hello!")).readResponse().status()).isEqualTo(413);
            }
            assertThat(node.requestCount()).isEqualTo(1);
        }
    }

    @Test
    void noneMayHaveAByte() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "0B"));
                RawClient client = gateway.connect()) {
            assertThat(client.send(post("")).readResponse().status()).isEqualTo(200);
            assertThat(client.send(CHUNKED + "0\r\n\r\n").readResponse().status())
                    .isEqualTo(200);
            assertThat(client.send(post("a")).readResponse().status()).isEqualTo(413);
        }
    }

    @Test
    void problemsNameTheirPlace() {
        for (Object max : List.of("5", "x", "-1B", "1TiB")) {
            assertThatThrownBy(() -> new BodyLimitFactory().create(Settings.of(Map.of("max", max)), new TestContext()))
                    .isInstanceOfSatisfying(
                            SettingsException.class,
                            e -> assertThat(e.pointer()).isEqualTo("/max"));
        }
        for (String max : List.of("0B", "2GiB")) {
            Settings settings = Settings.of(Map.of("max", max, "whole", true));
            assertThatThrownBy(() -> new BodyLimitFactory().create(settings, new TestContext()))
                    .isInstanceOf(SettingsException.class);
        }
    }
}
