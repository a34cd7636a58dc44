package net.oooops.sigma.plugins.headers;

import java.util.Map;
import java.util.function.Function;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Tls;
import org.jspecify.annotations.Nullable;

/** Something of a request that a template has the name of. Immutable. */
@FunctionalInterface
interface Fact {
    /** What the names may be, in words for whoever wrote another one. */
    String EXPECTED =
            "{client-address}, {peer-address}, {host}, {method}, {path}, {query}, {scheme}, {router}, {route}, {upstream}, {consumer}, "
                    + "{request-id}, {tls-version}, {tls-host}, {header:Name}, {param:name} or {metadata:key}; {{ for a brace that is meant itself";

    /** What stands before the name of a parameter of the path. */
    String PARAMETER = "param:";

    /** By name all without a parameter. */
    Map<String, Fact> BY_NAME = Map.ofEntries(
            Map.entry("client-address", Exchange::clientAddress),
            Map.entry("peer-address", Exchange::peerAddress),
            Map.entry("host", exchange -> exchange.request().authority()),
            Map.entry("method", exchange -> exchange.request().method()),
            Map.entry("path", exchange -> exchange.request().path()),
            Map.entry("query", exchange -> exchange.request().query()),
            Map.entry("scheme", exchange -> exchange.request().scheme()),
            Map.entry("router", Exchange::routerId),
            Map.entry("route", Exchange::routeId),
            Map.entry("upstream", Exchange::upstreamId),
            Map.entry("consumer", Fact::consumer),
            Map.entry("request-id", exchange -> exchange.value(Key.REQUEST_ID)),
            Map.entry("tls-version", exchange -> tls(exchange, Tls::version)),
            Map.entry("tls-host", exchange -> tls(exchange, Tls::host)));

    /** What it is for that request; null where there is none. */
    @Nullable String of(Exchange exchange);

    /** The fact of that name; null where there is none. */
    static @Nullable Fact of(String name) {
        int colon = name.indexOf(':');
        String parameter = name.substring(colon + 1);
        if (colon < 0 || parameter.isEmpty()) {
            return BY_NAME.get(name);
        }
        return switch (name.substring(0, colon)) {
            case "header" -> FieldName.isToken(parameter) ? header(FieldName.of(parameter)) : null;
            case "param" -> exchange -> exchange.parameter(parameter);
            case "metadata" -> exchange -> metadata(exchange.value(Key.METADATA), parameter);
            default -> null;
        };
    }

    private static Fact header(FieldName field) {
        return exchange -> exchange.request().value(field);
    }

    private static @Nullable String metadata(@Nullable Metadata metadata, String key) {
        return metadata == null ? null : metadata.text(key);
    }

    private static @Nullable String consumer(Exchange exchange) {
        Consumer consumer = exchange.consumer();
        return consumer == null ? null : consumer.id();
    }

    private static @Nullable String tls(Exchange exchange, Function<Tls, @Nullable String> part) {
        Tls tls = exchange.tls();
        return tls == null ? null : part.apply(tls);
    }
}
