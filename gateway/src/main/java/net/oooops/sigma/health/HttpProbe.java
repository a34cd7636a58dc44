package net.oooops.sigma.health;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import net.oooops.sigma.config.ActiveCheckConfig.Http;
import net.oooops.sigma.config.ActiveCheckConfig.Statuses;
import net.oooops.sigma.config.UpstreamConfig;
import org.jspecify.annotations.Nullable;

/** Sends a request of HTTP, in the version that the node speaks, on a connection of its own, and looks at status and body. */
final class HttpProbe implements Probe {
    private static final int HEAD_BYTES_MAX = 16 << 10;

    private final HttpClientAgent client;
    private final Http question;
    private final String host;
    private final @Nullable Secure secure;

    /**
     * @param node host and port that the Host field names where no other is given
     * @param secure how it is spoken to over TLS, or null where it is spoken to in the clear
     */
    HttpProbe(HttpClientAgent client, Http question, String node, @Nullable Secure secure) {
        this.client = client;
        this.question = question;
        String given = question.host();
        this.host = given == null ? node : given;
        this.secure = secure;
    }

    /** What its client has to be like. */
    static HttpClientOptions options() {
        return new HttpClientOptions().setKeepAlive(false).setMaxHeaderSize(HEAD_BYTES_MAX);
    }

    /** The same, for nodes that speak HTTP/2, or may. */
    static HttpClientOptions optionsOfHttp2(UpstreamConfig.HttpVersion version) {
        return options()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false)
                .setUseAlpn(true)
                .setAlpnVersions(
                        version == UpstreamConfig.HttpVersion.AGREED
                                ? List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1)
                                : List.of(HttpVersion.HTTP_2));
    }

    @Override
    public void ask(InetSocketAddress node, Attempt attempt) {
        String address = node.getAddress().getHostAddress();
        HttpConnectOptions to = new HttpConnectOptions()
                .setServer(SocketAddress.inetSocketAddress(node.getPort(), address))
                .setHost(address)
                .setPort(node.getPort())
                .setConnectTimeout(attempt.connectMillis());
        if (secure != null) {
            to.setSsl(true).setSslOptions(secure.options()).setHost(secure.name());
        }
        client.connect(to).onComplete(connected -> {
            if (connected.failed()) {
                attempt.fail(Why.of(connected.cause()));
            } else {
                request(connected.result(), attempt);
            }
        });
    }

    private void request(HttpClientConnection connection, Attempt attempt) {
        connection.exceptionHandler(thrown -> attempt.fail(Why.of(thrown)));
        attempt.connected(connection::close);
        if (attempt.isOver()) {
            return;
        }
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.valueOf(question.method()))
                .setURI(question.path())
                .putHeader("User-Agent", "sigma-health");
        connection.request(options).compose(this::send).onComplete(answered -> {
            if (answered.failed()) {
                attempt.fail(Why.of(answered.cause()));
            } else {
                answer(answered.result(), attempt);
            }
        });
    }

    private Future<HttpClientResponse> send(HttpClientRequest request) {
        HostAndPort named = HostAndPort.parseAuthority(host, -1);
        if (named == null || request.version() != HttpVersion.HTTP_2) {
            request.putHeader("Host", host);
        } else {
            request.authority(named);
        }
        return request.send();
    }

    private void answer(HttpClientResponse response, Attempt attempt) {
        // Vert.x would log what befalls a response that nobody listens to: its connection is closed before its end.
        response.exceptionHandler(thrown -> attempt.fail(Why.of(thrown)));
        int status = response.statusCode();
        if (question.statuses().stream().noneMatch(range -> range.from() <= status && status <= range.to())) {
            String expected =
                    question.statuses().stream().map(Statuses::toString).collect(Collectors.joining(", "));
            attempt.fail("status " + status + " (expected: " + expected + ")");
            return;
        }
        String text = question.text();
        if (text == null) {
            // The node is let finish what it says, up to the bound, so that it doesn't see its client break off each
            // time.
            attempt.passEarly();
            read(response, attempt, null, "");
        } else {
            read(response, attempt, new Search(text.getBytes(StandardCharsets.UTF_8)), text);
        }
    }

    private static void read(HttpClientResponse response, Attempt attempt, @Nullable Search search, String text) {
        long[] rest = {BYTES_MAX};
        response.endHandler(end -> attempt.fail("no \"" + Why.shown(text) + "\" in the body"));
        response.handler(piece -> {
            rest[0] -= piece.length();
            if (search != null && search.take(piece)) {
                attempt.pass();
            } else if (rest[0] <= 0) {
                attempt.fail("no \"" + Why.shown(text) + "\" in the first " + BYTES_MAX + " bytes of the body");
            }
        });
    }
}
