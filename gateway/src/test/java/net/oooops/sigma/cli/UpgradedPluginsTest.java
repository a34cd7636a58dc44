package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What plugins leave to those of the process that takes the place of theirs. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class UpgradedPluginsTest extends UpgradeFixture {
    private volatile int status = 200;

    private static int asked(int port, String token) throws Exception {
        try (RawClient client = RawClient.connect(port)) {
            return client.send("GET /a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token + "\r\n\r\n")
                    .readResponse()
                    .status();
        }
    }

    private HttpServer keys(RSAKey key) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] set = new JWKSet(key.toPublicJWK()).toString(true).getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status, set.length);
            exchange.getResponseBody().write(set);
            exchange.close();
        });
        server.start();
        return server;
    }

    @Test
    void keysThatCannotBeFetchedAreStillKnown() throws Exception {
        RSAKey key = new RSAKeyGenerator(2048).keyID("k").generate();
        JWSObject token = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("k").build(),
                new Payload("{\"sub\":\"ada\",\"exp\":9999999999}"));
        token.sign(new RSASSASigner(key));
        HttpServer keys = keys(key);
        try (ScriptedUpstream node = ScriptedUpstream.play(
                Script.script().readRequest().respond(Answer.ok("a")).close())) {
            String json = """
                {"proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                 "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p",
                   "plugin": {"jwt": {"audience": [], "jwks-url": "http://localhost:%d/keys"}}}]}],
                 "proxy-pass": [{"id": "p", "upstream-id": "u"}],
                 "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:%d"]}]}
                """.formatted(keys.getAddress().getPort(), node.port());
            Path conf = Files.writeString(folder.resolve("sigma.json"), json);
            try (SigmaProcess sigma =
                    SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString()))) {
                sigma.awaitListening();
                assertThat(asked(sigma.port(), token.serialize())).isEqualTo(200);
                status = 500;
                Said said = say("upgrade");
                assertThat(said.exitCode()).as(said.err()).isZero();
                assertThat(asked(sigma.port(), token.serialize())).isEqualTo(200);
                // What was left to it is left by it, too.
                said = say("upgrade");
                assertThat(said.exitCode()).as(said.err()).isZero();
                Await.until("the third one serves", () -> serving() != 0);
                assertThat(asked(sigma.port(), token.serialize())).isEqualTo(200);
            }
        } finally {
            keys.stop(0);
        }
    }
}
