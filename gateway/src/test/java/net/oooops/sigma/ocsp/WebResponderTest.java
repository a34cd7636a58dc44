package net.oooops.sigma.ocsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.ask.Unanswered;
import net.oooops.sigma.certificate.OcspQuestion;
import net.oooops.sigma.certificate.OcspSigner;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a responder does, its answer is whole and small, or there is none in time. */
@Timeout(30)
class WebResponderTest extends CertifiedFixture {
    private static final Duration LIMIT = Duration.ofMillis(500);

    private final Semaphore answers = new Semaphore(0);
    private WebResponder asking = new WebResponder(LIMIT, answers::release);

    @AfterEach
    void end() {
        asking.close();
    }

    private OcspQuestion question(int port) throws Exception {
        X509Bundle issued = Certificates.issued(
                OcspSigner.naming("http://127.0.0.1:" + port + "/ocsp", "a.example"), certificates.authority());
        return OcspQuestion.about(OcspSigner.keyed(issued));
    }

    private byte[] asked(int port) throws Exception {
        OcspQuestion question = question(port);
        try {
            return asking.ask(question)
                    .orTimeout(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS)
                    .join();
        } finally {
            answers.acquire();
        }
    }

    private void assertUnanswered(int port, String why) {
        assertThatThrownBy(() -> asked(port))
                .isInstanceOf(CompletionException.class)
                .satisfies(thrown -> assertThat(Unanswered.why(thrown)).contains(why));
    }

    @Test
    void itIsAskedByPost() throws Exception {
        byte[] said = {1, 2, 3};
        try (ScriptedUpstream responder =
                ScriptedUpstream.start(request -> Answer.ok("").body(said))) {
            assertThat(asked(responder.port())).isEqualTo(said);
            ReceivedRequest seen = responder.request(0);
            assertThat(seen.method()).isEqualTo("POST");
            assertThat(seen.header("Content-Type")).isEqualTo("application/ocsp-request");
            assertThat(seen.bodyBytes()).isBetween(50L, 200L);
        }
    }

    @Test
    void aHundredMegabytesAreNotRead() throws Exception {
        try (ScriptedUpstream responder =
                ScriptedUpstream.start(request -> Answer.ok("").body(GeneratedBody.of(1, 100L << 20)))) {
            assertUnanswered(responder.port(), "its answer is longer than 64 KiB");
        }
    }

    @Test
    void anAnswerWithoutAnEndIsCut() throws Exception {
        Script endless = Script.script()
                .readRequest()
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                .trickle("a".repeat(1000), 1, Duration.ofMillis(20));
        try (ScriptedUpstream responder = ScriptedUpstream.play(endless)) {
            assertUnanswered(responder.port(), "its answer didn't end within");
        }
    }

    @Test
    void whatBreaksOffIsNoAnswer() throws Exception {
        Script cut = Script.script()
                .readRequest()
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na")
                .close();
        try (ScriptedUpstream responder = ScriptedUpstream.play(cut)) {
            assertUnanswered(responder.port(), "closed");
        }
    }

    @Test
    void whoeverSaysNothingIsLeft() throws Exception {
        try (ScriptedUpstream responder = ScriptedUpstream.blackhole()) {
            assertUnanswered(responder.port(), "no answer within its time");
        }
    }

    @Test
    void whoeverIsntThereOrSendsElsewhereHasNotAnswered() throws Exception {
        try (PortHold nobody = ScriptedUpstream.refusedPort()) {
            assertUnanswered(nobody.port(), "it takes no connection");
        }
        try (ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.ok("secret"));
                ScriptedUpstream responder = ScriptedUpstream.start(
                        request -> Answer.of(302).header("Location", "http://127.0.0.1:" + other.port() + "/"))) {
            assertUnanswered(responder.port(), "it answers with status 302");
            assertThat(other.requests()).isEmpty();
        }
    }

    /** Asking it fails with an error of the JVM's. */
    private static final class NoMemory extends ProxySelector {
        @Override
        public List<Proxy> select(URI uri) {
            throw new OutOfMemoryError("none left");
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException why) {}
    }

    /** Else its answer would be awaited for ever. */
    @Test
    void anErrorOfTheJvmIsNoAnswer() throws Exception {
        asking.close();
        asking = new WebResponder(
                () -> HttpClient.newBuilder().proxy(new NoMemory()).build(), LIMIT, answers::release);
        assertThatThrownBy(() -> asked(FreePorts.one()))
                .isInstanceOf(CompletionException.class)
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }

    /** Its thread may end of one. */
    @Test
    void aClientThatHasEndedIsFollowedByAnother() throws Exception {
        asking.close();
        List<HttpClient> made = new ArrayList<>();
        asking = new WebResponder(
                () -> {
                    made.add(HttpClient.newHttpClient());
                    return made.getLast();
                },
                LIMIT,
                answers::release);
        byte[] said = {1};
        try (ScriptedUpstream responder =
                ScriptedUpstream.start(request -> Answer.ok("").body(said))) {
            assertThat(asked(responder.port())).isEqualTo(said);
            assertThat(asked(responder.port())).isEqualTo(said);
            assertThat(made).hasSize(1);
            made.getFirst().shutdownNow();
            assertThat(made.getFirst().awaitTermination(Await.DEADLINE)).isTrue();
            assertThat(asked(responder.port())).isEqualTo(said);
            assertThat(made).hasSize(2);
        }
    }

    @Test
    void whenItIsClosedNobodyWaits() throws Exception {
        asking.close();
        asking = new WebResponder(Duration.ofMinutes(5), answers::release);
        try (ScriptedUpstream responder = ScriptedUpstream.blackhole()) {
            var answer = asking.ask(question(responder.port()));
            responder.awaitRequests(1);
            asking.close();
            assertThatThrownBy(answer::join).hasCauseInstanceOf(IOException.class);
        }
    }
}
