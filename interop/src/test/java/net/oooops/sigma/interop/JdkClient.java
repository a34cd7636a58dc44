package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's own client. It knows HTTP/2 without TLS only by {@code Upgrade: h2c}, which RFC 9113 took away and which it sends by itself: so over
 * {@link Wire#HTTP1} it asks for HTTP/2, and what counts is that it gets its answers.
 */
final class JdkClient implements Client {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "java.net.http";
    }

    @Override
    public boolean isExpected() {
        return true;
    }

    @Override
    public List<Wire> wires() {
        return List.of(Wire.HTTP1, Wire.HTTP1_TLS, Wire.H2_TLS);
    }

    @Override
    public @Nullable String whyNot() {
        return null;
    }

    @Override
    public List<Outcome> run(Wire wire, String url, Path certificate) {
        try (HttpClient client = client(wire, certificate)) {
            Asking asking = new Asking(client, wire, url);
            return new Cases()
                    .attempt("json", asking::json)
                    .attempt("echo", asking::echo)
                    .attempt("empty", asking::empty)
                    .attempt("missing", asking::missing)
                    .attempt("events", asking::events)
                    .attempt("many", asking::many)
                    .attempt("head", asking::head)
                    .attempt("cookies", asking::cookies)
                    .cannot("trailers", "java.net.http shows no trailers")
                    .outcomes();
        }
    }

    private static HttpClient client(Wire wire, Path certificate) {
        HttpClient.Version version = wire == Wire.HTTP1_TLS ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2;
        return HttpClient.newBuilder()
                .version(version)
                .connectTimeout(DEADLINE)
                .sslContext(Certificate.trusting(certificate))
                .build();
    }

    private record Asking(HttpClient client, Wire wire, String url) {
        void json() throws Exception {
            HttpResponse<String> answer = get("/json");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"name\": \"sigma\"}");
            assertThat(answer.headers().firstValue("content-type")).contains("application/json");
            if (wire.isEncrypted()) {
                assertThat(answer.version()).isEqualTo(client.version());
            }
        }

        void echo() throws Exception {
            byte[] body = Cases.body();
            HttpRequest request =
                    to("/echo").POST(BodyPublishers.ofByteArray(body)).build();
            HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(body);
        }

        void empty() throws Exception {
            HttpResponse<String> answer = get("/empty");
            assertThat(answer.statusCode()).isEqualTo(204);
            assertThat(answer.body()).isEmpty();
        }

        void missing() throws Exception {
            HttpResponse<String> answer = get("/missing");
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.body()).isEqualTo("missing");
        }

        void events() throws Exception {
            String first = "data: first\n\n";
            HttpRequest request = to("/events/jdk-" + wire).build();
            HttpResponse<InputStream> answer = client.send(request, BodyHandlers.ofInputStream());
            try (InputStream events = answer.body()) {
                byte[] begin = events.readNBytes(first.length());
                assertThat(new String(begin, StandardCharsets.UTF_8)).isEqualTo(first);
                assertThat(get("/go/jdk-" + wire).statusCode()).isEqualTo(204);
                assertThat(new String(events.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("data: last\n\n");
            }
        }

        void many() {
            List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, WebNode.GATHERED)
                    .mapToObj(i -> to("/gather/jdk-" + wire + "?i=" + i).build())
                    .map(request -> client.sendAsync(request, BodyHandlers.ofString()))
                    .toList();
            assertThat(answers)
                    .allSatisfy(answer -> assertThat(answer.join().body()).isEqualTo("all"));
        }

        void head() throws Exception {
            HttpResponse<String> answer = client.send(to("/json").HEAD().build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("content-length")).contains("17");
            assertThat(answer.body()).isEmpty();
        }

        void cookies() throws Exception {
            HttpRequest request = to("/cookies").header("Cookie", Cases.COOKIE).build();
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo("1\n" + Cases.COOKIE);
            assertThat(answer.headers().allValues("set-cookie")).hasSize(2);
        }

        private HttpResponse<String> get(String path) throws IOException, InterruptedException {
            return client.send(to(path).build(), BodyHandlers.ofString());
        }

        private HttpRequest.Builder to(String path) {
            return HttpRequest.newBuilder(URI.create(url + path)).timeout(DEADLINE);
        }
    }
}
