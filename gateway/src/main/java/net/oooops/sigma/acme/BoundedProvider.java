package net.oooops.sigma.acme;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import net.oooops.sigma.ask.Unanswered;
import net.oooops.sigma.ask.WholeBody;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.Connection;
import org.shredzone.acme4j.connector.DefaultConnection;
import org.shredzone.acme4j.connector.HttpConnector;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.provider.GenericAcmeProvider;

/**
 * How acme4j reaches an issuer: each answer is read whole before it is looked at, and is small and in time, or there is none. For the thread that asks.
 */
final class BoundedProvider extends GenericAcmeProvider {
    private final WholeBody.Bounds bounds;
    private final @Nullable SSLContext trusting;

    /**
     * One that asks nobody yet.
     *
     * @param trusting whom to trust; null: those whom the JDK trusts
     */
    BoundedProvider(WholeBody.Bounds bounds, @Nullable SSLContext trusting) {
        this.bounds = bounds;
        this.trusting = trusting;
    }

    @Override
    protected HttpConnector createHttpConnector(NetworkSettings settings) {
        SSLContext context = trusting;
        return new HttpConnector(settings) {
            @Override
            public HttpClient.Builder createClientBuilder() {
                HttpClient.Builder builder = super.createClientBuilder();
                return context == null ? builder : builder.sslContext(context);
            }
        };
    }

    @Override
    public Connection connect(URI server, NetworkSettings settings) {
        return new Bounded(createHttpConnector(settings));
    }

    private final class Bounded extends DefaultConnection {
        private Bounded(HttpConnector connector) {
            super(connector);
        }

        @Override
        protected void sendRequest(Session session, URL url, Consumer<HttpRequest.Builder> body) throws IOException {
            super.sendRequest(session, url, body);
            HttpResponse<InputStream> answer = Objects.requireNonNull(lastResponse);
            if (answer.headers().firstValue("Content-Encoding").isPresent()) {
                // Which it wasn't asked for, and of which little could become much.
                answer.body().close();
                throw new Unanswered("its answer is compressed", null);
            }
            lastResponse = new Whole(answer, WholeBody.read(answer, bounds));
        }
    }

    /** An answer whose body is here. */
    private record Whole(HttpResponse<InputStream> head, InputStream body) implements HttpResponse<InputStream> {
        private Whole(HttpResponse<InputStream> head, byte[] body) {
            this(head, new ByteArrayInputStream(body));
        }

        @Override
        public int statusCode() {
            return head.statusCode();
        }

        @Override
        public HttpRequest request() {
            return head.request();
        }

        @Override
        public Optional<HttpResponse<InputStream>> previousResponse() {
            return head.previousResponse();
        }

        @Override
        public HttpHeaders headers() {
            return head.headers();
        }

        @Override
        public Optional<SSLSession> sslSession() {
            return head.sslSession();
        }

        @Override
        public URI uri() {
            return head.uri();
        }

        @Override
        public HttpClient.Version version() {
            return head.version();
        }
    }
}
