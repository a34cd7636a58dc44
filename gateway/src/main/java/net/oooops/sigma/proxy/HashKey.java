package net.oooops.sigma.proxy;

import java.util.Locale;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.balance.KeyHash;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.RequestCookie;
import net.oooops.sigma.http.RequestParameter;
import net.oooops.sigma.http.Span;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request that consistent-hash goes by, hashed where it stands, as plugins leave it. An empty one is none.
 *
 * <p>Immutable, shared by all Workers; allocates nothing unless a plugin wrote the Cookie field anew.
 */
abstract sealed class HashKey {
    /** What to hash by, or null where that isn't a part of the head. */
    static @Nullable HashKey of(HashConfig hash) {
        return switch (hash.by()) {
            case FIELD -> hash.name().toLowerCase(Locale.ROOT).equals("host") ? new Host() : new OfField(hash.name());
            case COOKIE -> new OfCookie(hash.name());
            case QUERY -> new OfQuery(hash.name());
            case PATH -> new Path();
            case CLIENT_ADDRESS -> null;
        };
    }

    /** The key of a request, or {@link KeyHash#NONE}. */
    abstract long of(RequestSide request);

    private static long key(byte[] bytes, int start, int end) {
        return start >= end ? KeyHash.NONE : KeyHash.end(KeyHash.add(KeyHash.BEGIN, bytes, start, end));
    }

    private static long key(@Nullable String text) {
        return text == null || text.isEmpty() ? KeyHash.NONE : KeyHash.end(KeyHash.add(KeyHash.BEGIN, text));
    }

    private static final class OfField extends HashKey {
        private final FieldName name;

        OfField(String name) {
            this.name = FieldName.of(name);
        }

        @Override
        long of(RequestSide request) {
            HttpRequestHead head = request.head;
            long value = head.receivedValue(name);
            return value == Span.NONE
                    ? key(head.value(name))
                    : key(head.received(), Span.start(value), Span.end(value));
        }
    }

    private static final class OfCookie extends HashKey {
        private final RequestCookie cookie;

        OfCookie(String name) {
            this.cookie = new RequestCookie(name);
        }

        @Override
        long of(RequestSide request) {
            HttpRequestHead head = request.head;
            long value = cookie.find(head);
            return value == Span.NONE
                    ? key(cookie.addedValue(head))
                    : key(head.received(), Span.start(value), Span.end(value));
        }
    }

    private static final class OfQuery extends HashKey {
        private final RequestParameter parameter;

        OfQuery(String name) {
            this.parameter = new RequestParameter(name);
        }

        @Override
        long of(RequestSide request) {
            long value = parameter.find(request.head);
            if (value == Span.NONE || Span.start(value) >= Span.end(value)) {
                return KeyHash.NONE;
            }
            byte[] bytes = RequestParameter.bytes(request.head);
            int end = Span.end(value);
            long hash = KeyHash.BEGIN;
            for (int at = Span.start(value); at < end; at += RequestParameter.width(bytes, at, end)) {
                hash = KeyHash.add(hash, RequestParameter.octet(bytes, at, end));
            }
            return KeyHash.end(hash);
        }
    }

    private static final class Path extends HashKey {
        @Override
        long of(RequestSide request) {
            HttpRequestHead head = request.head;
            return key(
                    head.target().pathBytes(),
                    head.target().pathStart(),
                    head.target().pathEnd());
        }
    }

    /** Without port, in lower case. */
    private static final class Host extends HashKey {
        @Override
        long of(RequestSide request) {
            if (request.query.hostStart() >= request.query.hostEnd()) {
                return KeyHash.NONE;
            }
            byte[] bytes = request.query.hostBytes();
            long hash = KeyHash.BEGIN;
            for (int at = request.query.hostStart(); at < request.query.hostEnd(); at++) {
                int b = bytes[at];
                hash = KeyHash.add(hash, b >= 'A' && b <= 'Z' ? b | 0x20 : b);
            }
            return KeyHash.end(hash);
        }
    }
}
