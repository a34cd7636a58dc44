package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** OkHttp, the client of Android and of much of Java. */
final class OkClient implements Client {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "OkHttp";
    }

    @Override
    public boolean isExpected() {
        return true;
    }

    @Override
    public List<Wire> wires() {
        return List.of(Wire.values());
    }

    @Override
    public @Nullable String whyNot() {
        return null;
    }

    @Override
    public List<Outcome> run(Wire wire, String url, Path certificate) {
        List<Protocol> protocols = switch (wire) {
            case HTTP1, HTTP1_TLS -> List.of(Protocol.HTTP_1_1);
            case H2C -> List.of(Protocol.H2_PRIOR_KNOWLEDGE);
            case H2_TLS -> List.of(Protocol.HTTP_2, Protocol.HTTP_1_1);
        };
        X509TrustManager trust =
                (X509TrustManager) Certificate.trust(certificate).getTrustManagers()[0];
        OkHttpClient client = new OkHttpClient.Builder()
                .protocols(protocols)
                .sslSocketFactory(Certificate.trusting(certificate).getSocketFactory(), trust)
                .callTimeout(DEADLINE)
                .build();
        try {
            Asking asking = new Asking(client, protocols.getFirst(), url);
            return new Cases()
                    .attempt("json", asking::json)
                    .attempt("echo", asking::echo)
                    .attempt("empty", asking::empty)
                    .attempt("missing", asking::missing)
                    .attempt("events", asking::events)
                    .attempt("many", asking::many)
                    .attempt("head", asking::head)
                    .attempt("cookies", asking::cookies)
                    .attempt("trailers", asking::trailers)
                    .outcomes();
        } finally {
            client.dispatcher().executorService().shutdown();
            client.connectionPool().evictAll();
        }
    }

    private record Asking(OkHttpClient client, Protocol protocol, String url) {
        void json() throws IOException {
            try (Response answer = ask(to("/json"))) {
                assertThat(answer.code()).isEqualTo(200);
                assertThat(answer.body().string()).isEqualTo("{\"name\": \"sigma\"}");
                assertThat(answer.protocol()).isEqualTo(protocol);
            }
        }

        void echo() throws IOException {
            byte[] body = Cases.body();
            try (Response answer = ask(to("/echo").post(RequestBody.create(body)))) {
                assertThat(answer.code()).isEqualTo(200);
                assertThat(answer.body().bytes()).isEqualTo(body);
            }
        }

        void empty() throws IOException {
            expect("/empty", 204, "");
        }

        void missing() throws IOException {
            expect("/missing", 404, "missing");
        }

        void events() throws IOException {
            String first = "data: first\n\n";
            String id = "/ok-" + protocol;
            try (Response answer = ask(to("/events" + id))) {
                BufferedSource events = answer.body().source();
                assertThat(events.readString(first.length(), StandardCharsets.UTF_8))
                        .isEqualTo(first);
                expect("/go" + id, 204, "");
                assertThat(events.readUtf8()).isEqualTo("data: last\n\n");
            }
        }

        void many() throws Exception {
            String path = "/gather/ok-" + protocol + (url.startsWith("https") ? "-tls" : "");
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<?>> answers = new ArrayList<>();
                for (int i = 0; i < WebNode.GATHERED; i++) {
                    answers.add(threads.submit(() -> {
                        expect(path, 200, "all");
                        return null;
                    }));
                }
                for (Future<?> answer : answers) {
                    answer.get();
                }
            }
        }

        void head() throws IOException {
            try (Response answer = ask(to("/json").head())) {
                assertThat(answer.code()).isEqualTo(200);
                assertThat(answer.header("Content-Length")).isEqualTo("17");
                assertThat(answer.body().string()).isEmpty();
            }
        }

        void cookies() throws IOException {
            try (Response answer = ask(to("/cookies").header("Cookie", Cases.COOKIE))) {
                assertThat(answer.body().string()).isEqualTo("1\n" + Cases.COOKIE);
                assertThat(answer.headers("Set-Cookie")).hasSize(2);
            }
        }

        void trailers() throws IOException {
            try (Response answer = ask(to("/trailers").header("TE", "trailers"))) {
                assertThat(answer.body().string()).isEqualTo("with trailers");
                assertThat(answer.trailers().get("X-Checksum")).isEqualTo("1234");
            }
        }

        private void expect(String path, int status, String body) throws IOException {
            try (Response answer = ask(to(path))) {
                assertThat(answer.code()).isEqualTo(status);
                assertThat(answer.body().string()).isEqualTo(body);
            }
        }

        private Response ask(Request.Builder request) throws IOException {
            return client.newCall(request.build()).execute();
        }

        private Request.Builder to(String path) {
            return new Request.Builder().url(url + path);
        }
    }
}
