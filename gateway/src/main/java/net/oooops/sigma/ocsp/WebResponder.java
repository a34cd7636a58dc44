package net.oooops.sigma.ocsp;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final Duration limit;
    private final Runnable onAnswer;

    /**
     * One that asks nobody yet.
     *
     * @param limit so long an answer's head may take, and then its body
     * @param onAnswer run after each, on any thread
     */
    WebResponder(Duration limit, Runnable onAnswer) {
        this.limit = limit;
        this.onAnswer = onAnswer;
    }

    @Override
    public CompletableFuture<byte[]> ask(OcspQuestion question) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Thread.ofVirtual().name("sigma-ocsp-question").start(() -> {
            try {
                answer.complete(fetch(question));
            } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
            } catch (InterruptedException e) {
                answer.completeExceptionally(new Unanswered("nobody waited for it", e));
            }
            onAnswer.run();
        });
        return answer;
    }

    private byte[] fetch(OcspQuestion question) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(question.responder())
                .timeout(limit)
                .header("Content-Type", "application/ocsp-request")
                .header("Accept", "application/ocsp-response")
                .POST(HttpRequest.BodyPublishers.ofByteArray(question.request()))
                .build();
        HttpResponse<InputStream> answer = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        if (answer.statusCode() != OK) {
            answer.body().close();
            throw new Unanswered("it answers with status " + answer.statusCode(), null);
        }
        return WholeBody.read(answer, new WholeBody.Bounds(ANSWER_BYTES_MAX, limit));
    }

    /** Nobody is asked any more; what is under way fails. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}
