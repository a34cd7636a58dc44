package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a request is taken to come from, and how, where trusted proxies say so: 127.0.0.0/8, 192.0.2.0/24 and 2001:db8:1::/48. */
@Tag("plain")
class ForwardedClientTest {
    private ScriptedUpstream node;
    private GatewayFixture gateway;

    @BeforeEach
    void start() throws IOException {
        node = ScriptedUpstream.start(request -> Answer.ok("node"));
        gateway = trusting(AllowForward.ALL);
    }

    @AfterEach
    void stop() throws IOException {
        gateway.close();
        node.close();
    }

    private GatewayFixture trusting(AllowForward allow) {
        Probe telling = Probe.probe()
                .onRequest(exchange -> Outcome.respond(Response.text(
                        200,
                        exchange.clientIp().text() + " " + exchange.clientAddress() + " "
                                + exchange.request().scheme())));
        return GatewayFixture.to(node)
                .plugins(Probe.LOADER)
                .route("/*", telling.config())
                .allowForward(allow, "127.0.0.0/8", "192.0.2.0/24", "2001:db8:1::/48")
                .start();
    }

    /** Lines are divided by {@code |}. */
    private static RawResponse ask(GatewayFixture gateway, String lines) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send("GET / HTTP/1.1\r\nHost: a\r\n" + lines.replace("|", "\r\n") + "\r\n\r\n")
                    .readResponse();
        }
    }

    private void assertClient(String lines, String address) throws IOException {
        assertThat(ask(gateway, lines).bodyText()).as(lines).startsWith(address + " " + address + " ");
    }

    private void assertScheme(String lines, String scheme) throws IOException {
        assertThat(ask(gateway, lines).bodyText()).as(lines).endsWith(" " + scheme);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            quoteCharacter = '`',
            value = {
                "for=9.9.9.9 > 9.9.9.9",
                "for=8.8.8.8, for=9.9.9.9 > 9.9.9.9",
                "for=8.8.8.8, For=9.9.9.9 , FOR=192.0.2.1 > 9.9.9.9",
                "for=192.0.2.2, for=192.0.2.1 > 192.0.2.2",
                "for=9.9.9.9;host=\"x, for=10.1.1.1\" > 9.9.9.9",
                "for=9.9.9.9;host=\"x;for=10.1.1.1\" > 9.9.9.9",
                "host=\"x;for=10.1.1.1;\";for=9.9.9.9 > 9.9.9.9",
                "for=9.9.9.9;host=\"a\\\", for=10.1.1.1\" > 9.9.9.9",
                "for=9.9.9.9;host=\"a\\\\\" > 9.9.9.9",
                "for=9.9.9.9;host=\"\\\\\\\", for=10.1.1.1, \" > 9.9.9.9",
                "for=\"9.9.9.9\" > 9.9.9.9",
                "for=\"9.9\\.9\\.9\" > 9.9.9.9",
                "for=9.9.9.9:80 > 9.9.9.9",
                "for=\"9.9.9.9:_hidden\" > 9.9.9.9",
                "for=\"[2001:db8::1]:80\" > 2001:db8::1",
                "for=\"[2001:DB8:0::1]\" > 2001:db8::1",
                "for=[2001:db8::1] > 2001:db8::1",
                "for=\"::ffff:9.9.9.9\" > 9.9.9.9",
                "for=9.9.9.9;x=\"\u00fc\" > 9.9.9.9",
                "for=9.9.9.9; proto=http ;by=192.0.2.1; > 9.9.9.9",
                "for=9.9.9.9;host=;by=_x > 9.9.9.9",
                "for=9.9.9.9, for=\"[2001:db8:1::1]\" > 9.9.9.9",
                // Nobody is named, or nobody that can be: the proxy that says so is all that is known.
                "for=unknown > 127.0.0.1",
                "for=8.8.8.8, for=_hidden > 127.0.0.1",
                "for=8.8.8.8, for=unknown, for=192.0.2.1 > 192.0.2.1",
                "for=8.8.8.8, by=9.9.9.9 > 127.0.0.1",
                "for=8.8.8.8, > 127.0.0.1",
                "for=\"\" > 127.0.0.1",
                "for=9.9.9.9:65536x > 127.0.0.1",
                "for=\"[9.9.9.9]\" > 127.0.0.1",
                "for=\"[2001:db8::1]x\" > 127.0.0.1",
                "for=\"[2001:db8::1\" > 127.0.0.1",
                "for=\"9.9.9.9, for=8.8.8.8\" > 127.0.0.1",
                // Several lines are one list.
                "for=8.8.8.8|Forwarded: for=9.9.9.9 > 9.9.9.9",
                "for=9.9.9.9|Forwarded: for=192.0.2.1 > 9.9.9.9",
                "for=8.8.8.8|Forwarded: for=9.9.9.9|Forwarded: for=192.0.2.1, for=192.0.2.2 > 9.9.9.9"
            })
    void forwardedNamesTheClient(String value, String client) throws IOException {
        assertClient("Forwarded: " + value, client);
    }

    /** The proxy would count as the client, and let in what it passes on: it only extended what a client began. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"",
                "\", for=9.9.9.9",
                "for=9.9.9.9;host=\"x",
                "for=9.9.9.9;host=\"x\\\"",
                "for=9.9.9.9;host=\"x\\",
                "for=10.1.1.1;host=\"x, for=9.9.9.9;host=\"a:81\"",
                "for=9.9.9.9;host=\"x\"y",
                "for=9.9.9.9;host=x\"y\"",
                "for=9.9.9.9;host=a\\b",
                "for=9.9.9.9;host=a b",
                "for=9.9.9.9;for=10.1.1.1",
                "for=9.9.9.9;proto=http;proto=https",
                "for=9.9.9.9;proto=\"\";proto=https",
                "for =9.9.9.9",
                "for= 9.9.9.9",
                "for",
                "9.9.9.9",
                "=9.9.9.9",
                "for=9.9.9.9;host=\u00fc",
                "for=\"a|Forwarded: b\", for=9.9.9.9"
            })
    void aMalformedForwardedIsRefused(String value) throws IOException {
        RawResponse response = ask(gateway, "Forwarded: " + value);
        assertThat(response.status()).isEqualTo(400);
        assertThat(gateway.counters().refusals("forwarded")).isEqualTo(1);
        try (GatewayFixture other = trusting(AllowForward.X_FORWARD)) {
            assertThat(ask(other, "X-Forwarded-For: 9.9.9.9|Forwarded: " + value)
                            .bodyText())
                    .as("where nobody is to believe it")
                    .isEqualTo("9.9.9.9 9.9.9.9 http");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            quoteCharacter = '`',
            value = {
                "9.9.9.9 > 9.9.9.9",
                "8.8.8.8,9.9.9.9 > 9.9.9.9",
                "9.9.9.9 ,\t192.0.2.1, 192.0.2.2 > 9.9.9.9",
                "192.0.2.2,192.0.2.1 > 192.0.2.2",
                "9.9.9.9:1234 > 9.9.9.9",
                "2001:db8::1 > 2001:db8::1",
                "[2001:db8::1]:80 > 2001:db8::1",
                "[2001:db8::1] > 2001:db8::1",
                "8.8.8.8|X-Forwarded-For: 9.9.9.9 > 9.9.9.9",
                "9.9.9.9|X-Forwarded-For: 192.0.2.1 > 9.9.9.9",
                "9.9.9.9|Forwarded: for=8.8.8.8 > 9.9.9.9",
                "8.8.8.8, unknown > 127.0.0.1",
                "8.8.8.8,, 192.0.2.1 > 192.0.2.1",
                "8.8.8.8, > 127.0.0.1",
                "8.8.8.8|X-Forwarded-For: > 127.0.0.1",
                "8.8.8.8, \"9.9.9.9\" > 127.0.0.1",
                "\"8.8.8.8, 9.9.9.9 > 9.9.9.9",
                "9.9.9.9:x > 127.0.0.1",
                "[9.9.9.9] > 127.0.0.1",
                "[2001:db8::1]x > 127.0.0.1",
                "[2001:db8::1 > 127.0.0.1",
                "for=9.9.9.9 > 127.0.0.1",
                "9.9.9.09 > 127.0.0.1",
                "fe80::1%eth0 > 127.0.0.1"
            })
    void xForwardedForNamesTheClient(String value, String client) throws IOException {
        assertClient("X-Forwarded-For: " + value, client);
    }

    /** The nearest proxy writes last: what stands before may be anybody's. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            value = {
                "https > https",
                "HTTPS > https",
                "http > http",
                "https, http > http",
                "http,https > https",
                "https|X-Forwarded-Proto: http > http",
                "http|X-Forwarded-Proto: https > https",
                "http|X-Forwarded-Proto: http , https > https",
                "https, > http",
                "https x > http"
            })
    void theLastXForwardedProtoCounts(String value, String scheme) throws IOException {
        assertScheme("X-Forwarded-Proto: " + value, scheme);
    }

    /** It is that of the element that names the client, or of the next one that has one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            quoteCharacter = '`',
            value = {
                "for=9.9.9.9;proto=https > https",
                "for=9.9.9.9;proto=\"https\" > https",
                "for=9.9.9.9;proto=http > http",
                "proto=https > https",
                "for=8.8.8.8;proto=https, for=9.9.9.9;proto=http > http",
                "for=9.9.9.9;proto=https, for=192.0.2.1;proto=http > https",
                "for=9.9.9.9, for=192.0.2.1;proto=https > https",
                "for=8.8.8.8;proto=https, for=unknown;proto=http, for=192.0.2.1 > http",
                "for=8.8.8.8;proto=https, for=9.9.9.9 > http",
                "for=9.9.9.9;host=\"a, for=192.0.2.1;proto=https\" > http",
                "for=9.9.9.9;proto=http;host=\";proto=https\" > http",
                "for=9.9.9.9;proto=http|Forwarded: for=192.0.2.1;proto=https > http",
                "for=9.9.9.9;proto=https|X-Forwarded-Proto: http > http"
            })
    void theProtoOfTheClientsElementCounts(String value, String scheme) throws IOException {
        assertScheme("Forwarded: " + value, scheme);
    }

    @Test
    void aMalformedForwardedOfAnybodyElseIsDeleted() throws IOException {
        try (GatewayFixture plain = GatewayFixture.to(node).start()) {
            assertThat(ask(plain, "Forwarded: \"").bodyText()).isEqualTo("node");
            assertThat(node.requests().getLast().headers().values("Forwarded"))
                    .containsExactly("for=127.0.0.1;proto=http;host=\"a\"");
        }
    }
}
