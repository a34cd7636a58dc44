package net.oooops.sigma.plugins.authentication.jwt;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletableFuture;

/** Asks a URL for keys. Safe for use from any thread. */
interface Asking extends AutoCloseable {
    /** What was answered, as text in UTF-8. */
    record Answer(int status, String text) {}

    /** Asks once. May throw, too, whatever a client and the JVM throw. Who doesn't wait any longer cancels it. */
    CompletableFuture<Answer> ask();

    /** Ends what is under way. */
    @Override
    void close();

    /** Makes one. */
    interface Factory {
        Asking of(RemoteKeys.Wanted wanted) throws IOException, GeneralSecurityException;
    }

    /** Over HTTP, without following redirects. */
    static Asking overHttp(RemoteKeys.Wanted wanted) throws IOException, GeneralSecurityException {
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(wanted.timeout()).followRedirects(HttpClient.Redirect.NEVER);
        HttpClient client = (wanted.trust() == null
                        ? builder
                        : builder.sslContext(wanted.trust().context()))
                .build();
        HttpRequest request = HttpRequest.newBuilder(wanted.url())
                .header("Accept", "application/jwk-set+json, application/json")
                .timeout(wanted.timeout())
                .build();
        return new OverHttp(client, request);
    }

    /** A client for that request. */
    record OverHttp(HttpClient client, HttpRequest request) implements Asking {
        private static final int BYTES_MAX = 1 << 20;

        @Override
        public CompletableFuture<Answer> ask() {
            CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(
                    request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), BYTES_MAX));
            CompletableFuture<Answer> answer = sent.thenApply(
                    response -> new Answer(response.statusCode(), new String(response.body(), StandardCharsets.UTF_8)));
            answer.whenComplete((any, failure) -> sent.cancel(true));
            return answer;
        }

        @Override
        public void close() {
            client.shutdownNow();
        }
    }
}
