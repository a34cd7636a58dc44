package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.pkitesting.X509Bundle;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reload asks something else of TLS clients: whoever is there wasn't asked that. */
@Tag("plain") // Encrypted by itself, with plain nodes.
class TlsReloadTest {
    private static final byte[] HTTP2 =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);
    private static final int GO_AWAY = 7;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private CertificateFiles shown;

    private final Gate gate = new Gate();
    private final ScriptedUpstream node = ScriptedUpstream.startOnHead(request -> {
        Script script = Script.script().readBody();
        return (request.target().equals("/slow") ? script.stall(gate) : script).respond(Answer.ok("yes"));
    });

    @BeforeEach
    void issue() throws IOException, CertificateEncodingException {
        certificates = new Certificates(dir);
        shown = certificates.files(certificates.issued("a.example"));
        authority("ca.pem", certificates.authority());
        authority("other-ca.pem", new Certificates(dir).authority());
    }

    private void authority(String name, X509Bundle issuer) throws IOException, CertificateEncodingException {
        Files.writeString(
                dir.resolve(name),
                Certificates.pem("CERTIFICATE", issuer.getCertificate().getEncoded()));
    }

    @AfterEach
    void stop() {
        gate.release();
        node.close();
    }

    /** Listens with TLS, on a port that it keeps. */
    private static final class Encrypting extends WrittenGateway {
        private Encrypting(ObjectNode root) throws StartException {
            super(root, 1);
        }

        void reload(ObjectNode root) throws StartException {
            follow(root);
        }

        static ObjectNode root(CertificateFiles shown, String nodeUrl, String more) throws IOException {
            String json = """
                    {
                      "proxy-server": { "https": [{
                        "id": "web", "host": "127.0.0.1", "port": 0,
                        "ssl": { "certPath": "%s", "keyPath": "%s" %s }
                      }] },
                      "router": [{ "id": "r", "proxy-server-id": "web", "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "node" }] }],
                      "proxy-pass": [{ "id": "node", "upstream-id": "node" }],
                      "upstream": [{ "id": "node", "nodes": ["%s"] }]
                    }
                    """.formatted(shown.certificates(), shown.key(), more, nodeUrl);
            ObjectNode root = (ObjectNode) JSON.readTree(json);
            root.set("runtime", runtime());
            return root;
        }
    }

    private ObjectNode sigma(String more) throws IOException {
        return Encrypting.root(shown, node.url(), more.replace("DIR", dir.toString()));
    }

    private SecureClient client(@Nullable X509Bundle own) {
        return new SecureClient(certificates.authority(), own);
    }

    private static RawResponse get(RawClient client, String path) throws IOException {
        client.send("GET " + path + " HTTP/1.1\r\nHost: a.example\r\n\r\n");
        return client.readResponse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ", \"client-auth\": \"require\", \"client-ca\": \"DIR/ca.pem\"",
                ", \"client-auth\": \"request\", \"client-ca\": \"DIR/ca.pem\"",
                ", \"min-version\": \"TLSv1.3\"",
                ", \"ciphers\": [\"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384\"]",
                ", \"strict-sni\": true"
            })
    void whoWasNotAskedThatIsLetGo(String asked) throws Exception {
        try (Encrypting gateway = new Encrypting(sigma(""));
                RawClient idle = client(null).connect(gateway.port(), "a.example");
                RawClient kept = client(null).connect(gateway.port(), "a.example");
                RawClient slow = client(null).connect(gateway.port(), "a.example")) {
            assertThat(get(idle, "/").status()).isEqualTo(200);
            assertThat(get(kept, "/").header("connection")).isNull();
            slow.send("GET /slow HTTP/1.1\r\nHost: a.example\r\n\r\n");
            node.awaitHeads(3);

            gateway.reload(sigma(asked));

            assertThat(get(kept, "/").header("connection")).isEqualTo("close");
            kept.expectCleanClose();
            idle.expectCleanClose();
            gate.release();
            RawResponse answer = slow.readResponse();
            assertThat(answer.status()).as("what was under way ends first").isEqualTo(200);
            assertThat(answer.header("connection")).isEqualTo("close");
            slow.expectCleanClose();
        }
    }

    @Test
    void whoComesThenIsAsked() throws Exception {
        String asking = ", \"client-auth\": \"require\", \"client-ca\": \"DIR/ca.pem\"";
        try (Encrypting gateway = new Encrypting(sigma(""));
                RawClient before = client(null).connect(gateway.port(), "a.example")) {
            assertThat(get(before, "/").status()).isEqualTo(200);

            gateway.reload(sigma(asking));

            before.expectCleanClose();
            // A client of TLS 1.3 has finished its handshake before it is told.
            assertThatThrownBy(() -> client(null).only("TLSv1.2").handshake(gateway.port(), "a.example"))
                    .isInstanceOf(IOException.class);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 1);
            gateway.awaitCount(Counter.TLS_HANDSHAKES, 1);
            assertThat(node.requestCount()).isEqualTo(1);
            try (RawClient own = client(certificates.issued("client.example")).connect(gateway.port(), "a.example")) {
                assertThat(get(own, "/").status()).isEqualTo(200);

                gateway.reload(sigma(asking.replace("/ca.pem", "/other-ca.pem")));

                assertThat(get(own, "/").header("connection"))
                        .as("another authority")
                        .isEqualTo("close");
                own.expectCleanClose();
            }
        }
    }

    @Test
    void aConnectionOfHttp2IsLetGo() throws Exception {
        try (Encrypting gateway = new Encrypting(sigma(""));
                SSLSocket socket = client(null).speaking("h2").handshake(gateway.port(), "a.example")) {
            socket.getOutputStream().write(HTTP2);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertThat(frame(in)).as("its settings").isEqualTo(4);

            gateway.reload(sigma(", \"client-auth\": \"require\", \"client-ca\": \"DIR/ca.pem\""));

            int type = frame(in);
            while (type != GO_AWAY) {
                type = frame(in);
            }
        }
    }

    /** Reads one. What type it is. */
    private static int frame(DataInputStream in) throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        in.readFully(new byte[1 + Integer.BYTES + length]);
        return type;
    }

    @Test
    void anotherCertificateAloneClosesNothing() throws Exception {
        try (Encrypting gateway = new Encrypting(sigma(""));
                RawClient kept = client(null).connect(gateway.port(), "a.example")) {
            assertThat(get(kept, "/").status()).isEqualTo(200);
            shown = certificates.files(certificates.issued("a.example"));

            gateway.reload(sigma(", \"ocsp-stapling\": false"));

            for (int i = 0; i < 3; i++) {
                RawResponse answer = get(kept, "/");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("connection")).isNull();
            }
        }
    }

    /** In which who is idle has long enough after a reload for a slow test. */
    private ObjectNode patient(String more) throws IOException {
        ObjectNode sigma = sigma(more);
        sigma.putObject("timeouts").put("drain-idle", "8s");
        return sigma;
    }

    private static Socket silent(Encrypting gateway, int connections) throws IOException {
        Socket silent = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
        Await.value(
                "connections",
                () -> gateway.gateway().connectionCounts(LIMIT).get("web"),
                Integer.valueOf(connections)::equals);
        return silent;
    }

    /** Of a connection on which nothing was said yet: it isn't let in by what was asked before. */
    @Test
    void aHandshakeThatBeginsThenIsNotByWhatWasAskedBefore() throws Exception {
        try (Encrypting gateway = new Encrypting(patient(""));
                Socket silent = silent(gateway, 1)) {
            gateway.reload(patient(", \"client-auth\": \"require\", \"client-ca\": \"DIR/ca.pem\""));

            assertThatThrownBy(() -> client(null).over(silent, "a.example"))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("unrecognized_name");
            assertThat(node.requestCount()).isZero();
            Await.value("configurations", gateway.gateway()::generationCount, count -> count == 1);
        }
    }

    /** Of one that is under way by then: it doesn't end by what was asked before. */
    @Test
    void aHandshakeThatIsUnderWayIsNotByWhatWasAskedBefore() throws Exception {
        ObjectNode one = patient("");
        one.withObject("/timeouts").put("handshake", "60s");
        try (Encrypting gateway = new Encrypting(one);
                Socket underWay = silent(gateway, 1)) {
            underWay.setSoTimeout((int) LIMIT.toMillis());
            underWay.getOutputStream().write(client(null).hello("a.example"));
            assertThat(underWay.getInputStream().read()).as("its part has come").isPositive();
            ObjectNode same = one.deepCopy();
            same.withObject("/timeouts").put("handshake", "50s");

            gateway.reload(same);

            assertThat(gateway.count(Counter.TLS_HANDSHAKES_FAILED)).isZero();
            ObjectNode other = patient(", \"client-auth\": \"require\", \"client-ca\": \"DIR/ca.pem\"");
            other.withObject("/timeouts").put("handshake", "60s");

            gateway.reload(other);

            underWay.getInputStream().readAllBytes();
            gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 1);
        }
    }

    /** A TCP server has the port from then on, which knows nothing of the other one's requests. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                ", \"alpn\": [\"h2\", \"http/1.1\"]",
                ", \"client-auth\": \"require\", \"client-ca\": \"DIR/ca.pem\""
            })
    void aServerOfAnotherKindHasItsPlace(String asked) throws Exception {
        int port = FreePorts.one();
        ObjectNode web = patient("");
        ((ObjectNode) web.at("/proxy-server/https/0")).put("port", port);
        ObjectNode tcp = patient(asked);
        ObjectNode servers = (ObjectNode) tcp.at("/proxy-server");
        ObjectNode server = (ObjectNode) servers.remove("https").get(0);
        servers.putArray("tcp").add(server.put("id", "raw").put("port", port).put("proxy-pass-id", "node"));
        tcp.remove("router");
        ((ObjectNode) tcp.at("/upstream/0")).putArray("nodes").add(node.url().replace("http:", "tcp:"));
        try (Encrypting gateway = new Encrypting(web);
                RawClient kept = client(null).connect(port, "a.example");
                RawClient slow = client(null).connect(port, "a.example");
                Socket silent = silent(gateway, 3);
                Socket underWay = silent(gateway, 4)) {
            assertThat(get(kept, "/").status()).isEqualTo(200);
            slow.send("GET /slow HTTP/1.1\r\nHost: a.example\r\n\r\n");
            node.awaitHeads(2);
            underWay.setSoTimeout((int) LIMIT.toMillis());
            underWay.getOutputStream().write(client(null).hello("a.example"));
            assertThat(underWay.getInputStream().read()).as("its part has come").isPositive();

            gateway.reload(tcp);

            assertThat(get(kept, "/").header("connection")).isEqualTo("close");
            kept.expectCleanClose();
            if (!asked.contains("client-auth")) {
                try (RawClient late = RawClient.of(client(null).over(silent, "a.example"), LIMIT)) {
                    assertThat(get(late, "/").header("connection")).isEqualTo("close");
                }
                assertThat(gateway.count(Counter.TLS_HANDSHAKES_FAILED)).isZero();
            } else {
                underWay.getInputStream().readAllBytes();
                assertThatThrownBy(() -> client(null).over(silent, "a.example"))
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("unrecognized_name");
                gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 2);
            }
        }
    }

    /** One for which there is no other one: whom it has let in is answered by what it came in under, which ends with it. */
    @Test
    void aHandshakeOfAServerThatIsGoneGoesOn() throws Exception {
        try (Encrypting gateway = new Encrypting(patient(""));
                Socket silent = silent(gateway, 1)) {
            ObjectNode without = patient("");
            ((ObjectNode) without.at("/proxy-server/https/0")).put("id", "another");
            ((ObjectNode) without.at("/router/0")).put("proxy-server-id", "another");

            gateway.reload(without);

            assertThat(gateway.gateway().generationCount()).isEqualTo(2);
            try (RawClient late = RawClient.of(client(null).over(silent, "a.example"), LIMIT)) {
                RawResponse answer = get(late, "/");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("connection")).isEqualTo("close");
            }
            Await.value("configurations", gateway.gateway()::generationCount, count -> count == 1);
        }
    }

    /** Time passes at a server that is gone, too: who takes long makes room for who waits. */
    @Test
    void aSlowHandshakeOfAServerThatIsGoneIsGivenUp() throws Exception {
        ObjectNode one = patient("");
        one.withObject("/timeouts").put("handshake", "60s");
        one.putObject("limits").put("handshakes", 1);
        try (Encrypting gateway = new Encrypting(one);
                Socket slow = silent(gateway, 1);
                Socket waiting = silent(gateway, 2)) {
            slow.getOutputStream().write(client(null).hello("a.example"));
            // Its own part of the handshake has come: it is under way.
            assertThat(slow.getInputStream().read()).isPositive();
            CompletableFuture<Void> secured =
                    Background.run(() -> client(null).over(waiting, "a.example").close());
            ObjectNode other = one.deepCopy();
            ((ObjectNode) other.at("/proxy-server/https/0")).put("id", "another");
            ((ObjectNode) other.at("/router/0")).put("proxy-server-id", "another");

            gateway.reload(other);

            secured.get();
            gateway.awaitCount(Counter.TLS_HANDSHAKES_CROWDED, 1);
        }
    }

    @Test
    void aHandshakeThatIsAwaitedHasTheNewTime() throws Exception {
        try (Encrypting gateway = new Encrypting(sigma(""));
                Socket silent = silent(gateway, 1)) {
            silent.setSoTimeout((int) Duration.ofSeconds(7).toMillis());
            ObjectNode next = sigma("");
            ((ObjectNode) next.at("/proxy-server/https/0"))
                    .putObject("timeouts")
                    .put("handshake", "1s");

            gateway.reload(next);

            assertThat(silent.getInputStream().read()).isNegative();
        }
    }
}
