package net.oooops.sigma.plugins.limits;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Expression;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/**
 * What requests are counted by: the setting {@code by}. A part that a request doesn't have, or has empty, is its address, told apart from one that
 * reads the same.
 *
 * <p>Immutable, any thread. Allocates what the exchange does for a part: nothing for addresses, consumers and routes.
 *
 * @param parts of which the key is made, at least one
 * @param ipv6Bits how many bits of an IPv6 address count, 1 to 128: the rest is the client's own to choose
 */
record KeyedBy(List<Part> parts, int ipv6Bits) {
    /** The first 64 bits are what a network is given (RFC 4291 section 2.5.1). */
    static final int IPV6_BITS_DEFAULT = 64;

    /** One part: {@code "address"} and so on. */
    private static final String PART_SCHEMA = """
            {
              "type": "string",
              "enum": ["address", "consumer", "route"]
            },
            {
              "type": "object",
              "additionalProperties": false,
              "minProperties": 1,
              "maxProperties": 1,
              "properties": {
                "header": {
                  "description": "The first value of this header field.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 255
                },
                "cookie": {
                  "description": "The first cookie of this name.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 255
                },
                "expression": {
                  "description": "The text that this expression in CEL comes to, over what `when` may ask of a request.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 4096
                },
                "parameter": {
                  "description": "What stands in the place of `:name` in the route's path.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 255
                }
              }
            }
            """;

    /** The settings that {@link #read} reads, as members of {@code properties}. */
    static final String SCHEMA = """
            "by": {
              "title": "by",
              "description": "What is counted by: `address`, the client's, as `trusted-proxies` tell it; `consumer`, whom a plugin before has found; `route`, one for all its requests; a value that the request has: `{ \\"header\\": \\"X-Tenant\\" }`, `{ \\"cookie\\": \\"session\\" }`, `{ \\"parameter\\": \\"shop\\" }`; what an expression comes to; or a list of them, which count together. Where a request has no such value, or an empty one, its address stands there. Headers and cookies are the client's to choose, and each new one begins with a full bucket.",
              "anyOf": [
            """ + PART_SCHEMA + """
                , { "type": "array", "minItems": 1, "maxItems": 4, "items": { "anyOf": [
            """ + PART_SCHEMA + """
                ] } }
              ],
              "default": "address",
              "examples": ["consumer", ["route", "address"], { "header": "X-Tenant" }, { "expression": "request.params['tenant']" }]
            },
            "ipv6-prefix": {
              "title": "ipv6-prefix",
              "description": "How many leading bits of an IPv6 address count: a client has as many addresses as the rest makes.",
              "type": "integer",
              "minimum": 16,
              "maximum": 128,
              "default": 64
            },
            """;

    private static final ThreadLocal<KeyDigest> DIGEST = ThreadLocal.withInitial(KeyDigest::new);
    private static final int ABSENT = -1;

    /** By the client's address alone. */
    static final KeyedBy ADDRESS = new KeyedBy(List.of(new Address()), IPV6_BITS_DEFAULT);

    /** A part of a key. */
    sealed interface Part {
        /** Adds it to the key; false where the request has none. */
        boolean addTo(KeyWords words, Exchange exchange);
    }

    /** Left to be added as what is absent: it is the same part then. */
    private record Address() implements Part {
        @Override
        public boolean addTo(KeyWords words, Exchange exchange) {
            return false;
        }
    }

    private record OfConsumer() implements Part {
        @Override
        public boolean addTo(KeyWords words, Exchange exchange) {
            Consumer consumer = exchange.consumer();
            return consumer != null && addText(words, consumer.id());
        }
    }

    private record OfRoute() implements Part {
        @Override
        public boolean addTo(KeyWords words, Exchange exchange) {
            return addText(words, exchange.routeId()) && addText(words, exchange.routerId());
        }
    }

    private record OfHeader(FieldName name) implements Part {
        @Override
        public boolean addTo(KeyWords words, Exchange exchange) {
            return addText(words, exchange.request().value(name));
        }
    }

    private record OfParameter(String name) implements Part {
        @Override
        public boolean addTo(KeyWords words, Exchange exchange) {
            return addText(words, exchange.parameter(name));
        }
    }

    private record OfCookie(CookieName name) implements Part {
        @Override
        public boolean addTo(KeyWords words, Exchange exchange) {
            List<String> values = exchange.request().cookies(name);
            return !values.isEmpty() && addText(words, values.getFirst());
        }
    }

    /** Equal where the expressions are. */
    private static final class OfExpression implements Part {
        private final Expression expression;
        private final PluginContext.Counter failures;

        OfExpression(Expression expression, PluginContext.Counter failures) {
            this.expression = expression;
            this.failures = failures;
        }

        @Override
        public boolean addTo(KeyWords words, Exchange exchange) {
            String text = expression.text(exchange);
            if (text == null) {
                failures.increment();
            }
            return addText(words, text);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof OfExpression that && expression.equals(that.expression);
        }

        @Override
        public int hashCode() {
            return expression.hashCode();
        }
    }

    private static boolean addText(KeyWords words, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return false;
        }
        words.add(text, 0, text.length());
        return true;
    }

    /** As {@code by} and {@code ipv6-prefix} say it. */
    static KeyedBy read(Settings settings, PluginContext context) {
        Settings by = settings.get("by");
        int bits = Math.toIntExact(settings.get("ipv6-prefix").integer(IPV6_BITS_DEFAULT));
        List<Part> parts = new ArrayList<>();
        if (!by.isPresent()) {
            parts.add(new Address());
        } else if (by.isList()) {
            by.elements().forEach(each -> parts.add(part(each, context)));
        } else {
            parts.add(part(by, context));
        }
        if (parts.isEmpty()) {
            throw by.unexpected("at least one part");
        }
        if (bits < 1 || bits > 128) {
            throw settings.get("ipv6-prefix").unfit("1 to 128");
        }
        return new KeyedBy(List.copyOf(parts), bits);
    }

    private static Part part(Settings part, PluginContext context) {
        Settings expression = part.get("expression");
        if (expression.isPresent()) {
            return new OfExpression(
                    context.expression(expression),
                    context.counter(
                            "keys_undecided",
                            "Requests counted by their address, as the expression of the key can't be evaluated."));
        }
        for (String kind : List.of("header", "cookie", "parameter")) {
            Settings name = part.get(kind);
            if (name.isPresent()) {
                return named(kind, name);
            }
        }
        return switch (part.string()) {
            case "address" -> new Address();
            case "consumer" -> new OfConsumer();
            case "route" -> new OfRoute();
            default ->
                throw part.unexpected(
                        "address, consumer or route, or an object with header, cookie, parameter or expression");
        };
    }

    private static Part named(String kind, Settings setting) {
        String name = setting.string();
        if (kind.equals("parameter")) {
            return new OfParameter(name);
        }
        if (!FieldName.isToken(name)) {
            throw setting.unfit("a token, RFC 9110 section 5.6.2");
        }
        return kind.equals("header") ? new OfHeader(FieldName.of(name)) : new OfCookie(CookieName.of(name));
    }

    /** The parameters of the path that are parts of it. */
    List<PathParameter> parameters() {
        List<PathParameter> named = new ArrayList<>();
        for (Part part : parts) {
            if (part instanceof OfParameter(String name)) {
                named.add(new PathParameter(name, "/by"));
            }
        }
        return named;
    }

    /** The key of that request. Valid until this thread asks for the next. */
    ShortKey of(Exchange exchange) {
        KeyDigest digest = DIGEST.get().begin();
        add(digest, exchange);
        return digest.end();
    }

    /** What that key is called in all processes. */
    String name(Exchange exchange) {
        KeyName name = new KeyName();
        add(name, exchange);
        return name.end();
    }

    private void add(KeyWords words, Exchange exchange) {
        for (int i = 0; i < parts.size(); i++) {
            if (!parts.get(i).addTo(words, exchange)) {
                words.add(ABSENT);
                add(words, exchange.clientIp());
            }
        }
    }

    /** That of an address alone. */
    ShortKey of(IpAddress address) {
        KeyDigest digest = DIGEST.get().begin();
        digest.add(ABSENT);
        add(digest, address);
        return digest.end();
    }

    private void add(KeyWords words, IpAddress address) {
        words.add(address.ipv6() ? 6 : 4);
        if (!address.ipv6()) {
            words.add(address.low());
        } else {
            words.add(address.high() & ones(ipv6Bits));
            words.add(address.low() & ones(ipv6Bits - 64));
        }
    }

    /** A mask of so many leading ones of 64. */
    private static long ones(int bits) {
        if (bits <= 0) {
            return 0;
        }
        return bits >= 64 ? -1 : -1L << (64 - bits);
    }
}
