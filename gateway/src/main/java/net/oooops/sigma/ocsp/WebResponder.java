package net.oooops.sigma.ocsp;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import net.oooops.sigma.ask.Unanswered;
import net.oooops.sigma.ask.WholeBody;
import net.oooops.sigma.certificate.OcspQuestion;

/**
 * Asks each certificate's responder over HTTP (RFC 6960 appendix A), on a virtual thread for each question. What answers from somewhere else (3xx) isn't
 * followed: the certificate names who is to be asked.
 */
final class WebResponder implements Responder, AutoCloseable {
    /** Answers have some hundred bytes, and a few thousand where they bring their signer's certificate. */
    private static final int ANSWER_BYTES_MAX = 64 * 1024;

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
    private static final int OK = 200;

    private final Supplier<HttpClient> clients;
    private final Duration limit;
    private final Runnable onAnswer;
    private volatile HttpClient client;
    private volatile boolean closed;

    /**
     * One that asks nobody yet.
     *
     * @param limit so long an answer's head may take, and then its body
     * @param onAnswer run after each, on any thread
     */
    WebResponder(Duration limit, Runnable onAnswer) {
        this(WebResponder::newClient, limit, onAnswer);
    }

    /** @param clients one at first, and another one where that has come to an end */
    WebResponder(Supplier<HttpClient> clients, Duration limit, Runnable onAnswer) {
        this.clients = clients;
        this.limit = limit;
        this.onAnswer = onAnswer;
        this.client = clients.get();
    }

    private static HttpClient newClient() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_LIMIT)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    @Override
    public CompletableFuture<byte[]> ask(OcspQuestion question) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        HttpClient asking = client();
        Thread.ofVirtual().name("sigma-ocsp-question").start(() -> {
            try {
                answer.complete(fetch(asking, question));
            } catch (InterruptedException e) {
                answer.completeExceptionally(new Unanswered("nobody waited for it", e));
            } catch (IOException | RuntimeException | Error e) {
                // Whatever it is: else the answer would be awaited for ever.
                answer.completeExceptionally(e);
            } finally {
                onAnswer.run();
            }
        });
        return answer;
    }

    /** An error of the JVM's may have ended the thread of one. */
    private HttpClient client() {
        if (client.isTerminated() && !closed) {
            client = clients.get();
        }
        return client;
    }

    private byte[] fetch(HttpClient asking, OcspQuestion question) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(question.responder())
                .timeout(limit)
                .header("Content-Type", "application/ocsp-request")
                .header("Accept", "application/ocsp-response")
                .POST(HttpRequest.BodyPublishers.ofByteArray(question.request()))
                .build();
        HttpResponse<InputStream> answer = asking.send(request, HttpResponse.BodyHandlers.ofInputStream());
        if (answer.statusCode() != OK) {
            answer.body().close();
            throw new Unanswered("it answers with status " + answer.statusCode(), null);
        }
        return WholeBody.read(answer, new WholeBody.Bounds(ANSWER_BYTES_MAX, limit));
    }

    /** Nobody is asked any more; what is under way fails. */
    @Override
    public void close() {
        closed = true;
        client.shutdownNow();
    }
}
