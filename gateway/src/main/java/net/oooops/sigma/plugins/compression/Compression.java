package net.oooops.sigma.plugins.compression;

import java.util.List;
import net.oooops.sigma.api.AcceptEncoding;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.EntityTags;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.ListField;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.ResponseHead;

/**
 * Packs answers in the coding that their clients like best (RFC 9110 section 12.5.3). What a client accepts is attached to its exchange as the
 * request passes, before another plugin removes the field, so that nodes needn't pack.
 *
 * <p>An answer that might be packed says so ({@code Vary}), whether or not it is; a 304 as well. One to HEAD has the head that the one to GET would have.
 */
final class Compression implements Plugin {
    private static final FieldName ACCEPT_RANGES = FieldName.of("Accept-Ranges");
    private static final FieldName CACHE_CONTROL = FieldName.of("Cache-Control");
    private static final FieldName CONTENT_ENCODING = FieldName.of("Content-Encoding");
    private static final FieldName CONTENT_RANGE = FieldName.of("Content-Range");
    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");
    private static final FieldName ETAG = FieldName.of("ETag");
    private static final FieldName IF_NONE_MATCH = FieldName.of("If-None-Match");
    private static final FieldName VARY_NAME = FieldName.of("Vary");
    private static final Field VARY = Field.of(VARY_NAME, "Accept-Encoding");
    private static final int PARTIAL = 206;
    private static final String BYTE_RANGES = "multipart/byteranges";
    private static final String WEAK = "W/";

    /** Checksums of what was received, not of what goes on (RFC 9530, RFC 3230, RFC 1864). */
    private static final FieldName[] DIGESTS = {
        FieldName.of("Content-Digest"), FieldName.of("Repr-Digest"), FieldName.of("Digest"), FieldName.of("Content-MD5")
    };

    /** Of an answer to HEAD no byte passes, and its length isn't known either. */
    private static final BodyTransform NO_BODY = (chunk, out) -> out.write(chunk);

    /** What a client accepts that takes none of the codings. */
    private static final Object PLAIN = new Object();

    private final List<Packing> packings;
    /** Their names. */
    private final List<String> codings;

    private final ContentTypes types;
    private final long lengthMin;

    /** @param packings in the order of preference among equals */
    Compression(List<Packing> packings, ContentTypes types, long lengthMin) {
        this.packings = List.copyOf(packings);
        this.codings =
                packings.stream().map(packing -> packing.coding().token()).toList();
        this.types = types;
        this.lengthMin = lengthMin;
    }

    /** Tried, and counted among those that would be packed until the exchange is over. */
    private record Tried(Packing packing) {}

    @Override
    public Needs needs() {
        return Needs.BOTH;
    }

    @Override
    public Needs needsInShadow() {
        return Needs.BOTH.withEnd();
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (!request.method().equals("CONNECT") && !forbids(request.values(CACHE_CONTROL))) {
            int best = AcceptEncoding.best(request.values(AcceptEncoding.NAME), codings);
            exchange.attach(this, best < 0 ? PLAIN : packings.get(best));
        }
        return Outcome.CONTINUE;
    }

    private static boolean forbids(List<String> cacheControl) {
        return !cacheControl.isEmpty() && ListField.has(cacheControl, "no-transform");
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        Object attached = exchange.attachment(this);
        Object accepted = attached instanceof Tried tried ? tried.packing() : attached;
        ResponseHead response = exchange.response();
        if (accepted == null || !varies(response)) {
            return Outcome.CONTINUE;
        }
        addVary(response);
        if (response.status() == PARTIAL) {
            return Outcome.CONTINUE;
        }
        if (response.status() == 304) {
            if (accepted != PLAIN) {
                notModified(exchange);
            }
        } else if (accepted instanceof Packing packing) {
            pack(exchange, packing);
        }
        return Outcome.CONTINUE;
    }

    private void pack(Exchange exchange, Packing packing) {
        ResponseHead response = exchange.response();
        boolean isHead = exchange.request().receivedMethod().equals("HEAD");
        if (isHead) {
            exchange.transformResponseBody(NO_BODY);
            packed(response, packing);
        } else if (exchange.isShadow()) {
            tryOut(exchange, packing);
        } else if (packing.bodies().enter()) {
            exchange.transformResponseBody(new PackedBody(packing, response.contentLength() < 0));
            packed(response, packing);
        }
    }

    /** Whether it would be packed is known without packing it, as long as those are counted that would be, too. */
    private void tryOut(Exchange exchange, Packing packing) {
        if (exchange.attachment(this) instanceof Tried || packing.bodies().enterTried()) {
            exchange.attach(this, new Tried(packing));
            packed(exchange.response(), packing);
        } else {
            exchange.shadowed("too-many-bodies");
        }
    }

    /** Whether it is packed for who accepts that, is part of what is, or tells of that: a part says what the whole would (RFC 9110 section 15.3.7). */
    private boolean varies(ResponseHead response) {
        int status = response.status();
        boolean fits = switch (status) {
            case 204 -> false;
            case PARTIAL -> mayBePartOfType(response);
            case 304 -> mayBeOfType(response);
            default -> status >= 200 && !response.has(CONTENT_RANGE) && isLongEnough(response) && isOfType(response);
        };
        return fits && !response.has(CONTENT_ENCODING) && !forbids(response.values(CACHE_CONTROL));
    }

    /** Several parts in one answer have their type each for itself. */
    private boolean mayBePartOfType(ResponseHead response) {
        String type = response.value(CONTENT_TYPE);
        return types.matches(type)
                || (type != null && type.regionMatches(true, 0, BYTE_RANGES, 0, BYTE_RANGES.length()));
    }

    private boolean isLongEnough(ResponseHead response) {
        long length = response.contentLength();
        return length < 0 || length >= lengthMin;
    }

    private boolean isOfType(ResponseHead response) {
        return types.matches(response.value(CONTENT_TYPE));
    }

    /** A 304 mostly doesn't say of which type the answer is that its client has. */
    private boolean mayBeOfType(ResponseHead response) {
        return !response.has(CONTENT_TYPE) || isOfType(response);
    }

    private static void packed(ResponseHead response, Packing packing) {
        response.set(packing.field());
        response.remove(ACCEPT_RANGES);
        for (FieldName digest : DIGESTS) {
            response.remove(digest);
        }
        weaken(response);
    }

    private static void weaken(ResponseHead response) {
        String tag = response.value(ETAG);
        if (tag != null && !EntityTags.isWeak(tag)) {
            response.set(Field.of(ETAG, WEAK + tag));
        }
    }

    /**
     * A 304 has the tag that the packed answer has (RFC 9110 section 15.4.5): by that a cache finds what it has (RFC 9111 section 4.3.4). A client that
     * names the strong one alone has got the answer as it is, as of another type, and is told that.
     */
    private static void notModified(Exchange exchange) {
        ResponseHead response = exchange.response();
        String tag = response.value(ETAG);
        if (tag == null || EntityTags.isWeak(tag)) {
            return;
        }
        List<String> known = exchange.request().values(IF_NONE_MATCH);
        if (!EntityTags.has(known, tag) || EntityTags.has(known, WEAK + tag)) {
            weaken(response);
        }
    }

    private static void addVary(ResponseHead response) {
        List<String> there = response.values(VARY_NAME);
        if (there.isEmpty() || !(ListField.has(there, "Accept-Encoding") || ListField.has(there, "*"))) {
            response.add(VARY);
        }
    }

    @Override
    public void onEnd(Exchange exchange) {
        if (exchange.attachment(this) instanceof Tried tried) {
            tried.packing().bodies().leaveTried();
        }
    }

    @Override
    public void close() {
        packings.forEach(packing -> packing.coders().close());
    }
}
