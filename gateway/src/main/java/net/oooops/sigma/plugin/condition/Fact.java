package net.oooops.sigma.plugin.condition;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import net.oooops.sigma.api.ClientCertificate;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Tls;
import org.jspecify.annotations.Nullable;

/** What a condition may ask of an exchange. One more is a constant more; each is read when it is asked for, and not before. */
enum Fact {
    METHOD("request.method", SimpleType.STRING, of -> of.request().method()),
    SCHEME("request.scheme", SimpleType.STRING, of -> of.request().scheme()),
    HOST("request.host", SimpleType.STRING, of -> host(of.request().authority())),
    PATH("request.path", SimpleType.STRING, of -> bare(of.request().path())),
    QUERY("request.query", SimpleType.STRING, of -> orEmpty(of.request().query())),
    PARAMS("request.params", Types.PARAMS, of -> new Params(orEmpty(of.request().query()))),
    HEADERS("request.headers", Types.HEADERS, of -> new Headers(of.request())),
    CLIENT_ADDRESS("client.address", SimpleType.STRING, Exchange::clientAddress),
    /** Empty where the connection is plain; so are the two that follow. */
    TLS_VERSION("tls.version", SimpleType.STRING, of -> tls(of, Tls::version)),
    /** What is spoken in it (ALPN). */
    TLS_PROTOCOL("tls.protocol", SimpleType.STRING, of -> tls(of, Tls::protocol)),
    /** What the client has asked for (SNI). */
    TLS_HOST("tls.host", SimpleType.STRING, of -> tls(of, Tls::host)),
    /** Empty where the client has shown no certificate; so is the one that follows. */
    CERTIFICATE_SUBJECT(
            "client.certificate.subject",
            SimpleType.STRING,
            of -> certificate(of, shown -> shown.subject().getName())),
    /** SHA-256, as hexadecimal digits. */
    CERTIFICATE_FINGERPRINT(
            "client.certificate.fingerprint", SimpleType.STRING, of -> certificate(of, ClientCertificate::fingerprint)),
    /** Empty where nobody has found out who that is. */
    CONSUMER_ID("consumer.id", SimpleType.STRING, of -> id(of.consumer())),
    ROUTE_ID("route.id", SimpleType.STRING, Exchange::routeId),
    /** Which an id of a Route is unique in. */
    ROUTER_ID("router.id", SimpleType.STRING, Exchange::routerId),
    ROUTE_METADATA("route.metadata", Types.METADATA, of -> metadata(of.value(Key.METADATA))),
    /** 0 where there is no response. */
    RESPONSE_STATUS(
            "response.status",
            SimpleType.INT,
            of -> of.hasResponse() ? (long) of.response().status() : 0L);

    /** Those that are no texts: what is asked of them by a name. */
    static final class Types {
        static final CelType HEADERS = OpaqueType.create("headers");
        static final CelType PARAMS = OpaqueType.create("params");
        static final CelType METADATA = OpaqueType.create("metadata");

        private Types() {}
    }

    private static final Metadata NO_METADATA = Metadata.of(Map.of());

    private final String word;

    @SuppressWarnings("ImmutableEnumChecker") // Made by the library's factories.
    private final CelType type;

    @SuppressWarnings("ImmutableEnumChecker") // Without a state.
    private final Function<Exchange, Object> reading;

    Fact(String word, CelType type, Function<Exchange, Object> reading) {
        this.word = word;
        this.type = type;
        this.reading = reading;
    }

    /** As it is written. */
    String word() {
        return word;
    }

    CelType type() {
        return type;
    }

    Object of(Exchange exchange) {
        return reading.apply(exchange);
    }

    /** What it may be, where there is no exchange; empty where that can't be said. */
    Optional<Object> sample() {
        if (type.equals(SimpleType.STRING)) {
            return Optional.of("");
        }
        if (type.equals(SimpleType.INT)) {
            return Optional.of(0L);
        }
        if (type.equals(Types.METADATA)) {
            return Optional.of(NO_METADATA);
        }
        return type.equals(Types.PARAMS) ? Optional.of(new Params("")) : Optional.empty();
    }

    /** The one that is written so; null where there is none. */
    static @Nullable Fact find(String word) {
        for (Fact each : values()) {
            if (each.word.equals(word)) {
                return each;
            }
        }
        return null;
    }

    private static Metadata metadata(@Nullable Metadata metadata) {
        return metadata == null ? NO_METADATA : metadata;
    }

    private static String tls(Exchange exchange, Function<Tls, @Nullable String> part) {
        Tls tls = exchange.tls();
        return tls == null ? "" : orEmpty(part.apply(tls));
    }

    private static String certificate(Exchange exchange, Function<ClientCertificate, String> part) {
        Tls tls = exchange.tls();
        ClientCertificate shown = tls == null ? null : tls.clientCertificate();
        return shown == null ? "" : part.apply(shown);
    }

    private static String id(@Nullable Consumer consumer) {
        return consumer == null ? "" : consumer.id();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** Without the port, a dot at the end, and capital letters: as routes compare it. */
    private static String host(String authority) {
        int colon = authority.lastIndexOf(':');
        String host = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
        String bare = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        return bare.toLowerCase(Locale.ROOT);
    }

    /** Without the parameters of segments, which routes pass over, too: {@code /admin;v=1/x} isn't to get round {@code /admin/}. */
    private static String bare(String path) {
        if (path.indexOf(';') < 0) {
            return path;
        }
        StringBuilder bare = new StringBuilder(path.length());
        boolean inParameters = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            inParameters = c == ';' || (inParameters && c != '/');
            if (!inParameters) {
                bare.append(c);
            }
        }
        return bare.toString();
    }
}
