package net.oooops.sigma.plugins.compression;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.ListField;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.plugins.compression.coding.Coders;
import net.oooops.sigma.plugins.compression.coding.Coding;
import org.jspecify.annotations.Nullable;

/** Unpacks the bodies of requests, in whichever codings {@code Content-Encoding} names, within {@link Unpacking.Bounds}. */
final class DecompressRequest implements Plugin {
    private static final FieldName CONTENT_ENCODING = FieldName.of("Content-Encoding");

    /** Checksums of what was received, not of what goes on (RFC 9530, RFC 3230, RFC 1864). */
    private static final FieldName[] DIGESTS = {
        FieldName.of("Content-Digest"), FieldName.of("Repr-Digest"), FieldName.of("Digest"), FieldName.of("Content-MD5")
    };

    private static final Response BUSY = Response.withBody(
            503,
            List.of(Field.of("Content-Type", "text/plain; charset=utf-8"), Field.of("Retry-After", "1")),
            "Too many compressed requests are under way.\n".getBytes(StandardCharsets.UTF_8));

    /**
     * What becomes of requests whose codings can't be unpacked.
     *
     * @param codingsMax how many may lie one within the other
     * @param passes whether they go on as they are
     */
    record Unknown(int codingsMax, boolean passes) {}

    private final Map<Coding, Coders> coders = new EnumMap<>(Coding.class);
    private final Unpacking.Bounds bounds;
    private final Unknown unknown;
    private final Outcome unsupported;
    private final Outcome busy;
    private final Outcome tooLarge;
    private final Outcome garbled;
    private final AtomicInteger bodies = new AtomicInteger();
    /** Those that are tried in shadow. */
    private final AtomicInteger tried = new AtomicInteger();

    /** @param codings what is unpacked, loaded before */
    DecompressRequest(List<Coding> codings, Unpacking.Bounds bounds, Unknown unknown, PluginContext context) {
        for (Coding coding : codings) {
            coders.put(coding, new Coders(coding::unpacker));
        }
        this.bounds = bounds;
        this.unknown = unknown;
        this.unsupported = context.reason("unsupported-coding").respond(unsupported(codings));
        this.busy = context.reason("too-many-bodies").respond(BUSY);
        this.tooLarge = bounds.refusals().tooLarge().refuse(Fault.BODY_TOO_LARGE);
        this.garbled = bounds.refusals().garbled().refuse(Fault.BAD_REQUEST);
    }

    /** RFC 9110 section 15.5.16 and RFC 7694. */
    private static Response unsupported(List<Coding> codings) {
        List<String> tokens = codings.stream().map(Coding::token).toList();
        return Response.withBody(
                415,
                List.of(
                        Field.of("Content-Type", "text/plain; charset=utf-8"),
                        Field.of("Accept-Encoding", String.join(", ", tokens))),
                "The content coding is not supported here.\n".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Needs needsInShadow() {
        return Needs.REQUEST.withRequestBody(BodyNeed.CHUNKS).withEnd();
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (!request.has(CONTENT_ENCODING)) {
            return Outcome.CONTINUE;
        }
        List<Coders> packedBy = packedBy(request.values(CONTENT_ENCODING));
        if (packedBy == null) {
            return unknown.passes() ? Outcome.CONTINUE : unsupported;
        }
        if (packedBy.isEmpty()) {
            return Outcome.CONTINUE;
        }
        if (request.hasBody() && exchange.isShadow()) {
            tryOut(exchange, packedBy);
        } else if (request.hasBody() && !unpack(exchange, packedBy)) {
            return busy;
        }
        request.remove(CONTENT_ENCODING);
        for (FieldName digest : DIGESTS) {
            request.remove(digest);
        }
        return Outcome.CONTINUE;
    }

    /** Whether there is room for its body. */
    private boolean unpack(Exchange exchange, List<Coders> packedBy) {
        Unpacking unpacking = Unpacking.enter(bounds, bodies, packedBy.size());
        if (unpacking == null) {
            return false;
        }
        int last = packedBy.size() - 1;
        for (int i = last; i >= 0; i--) {
            exchange.transformRequestBody(new UnpackedBody(packedBy.get(i), unpacking, i == last));
        }
        return true;
    }

    /** Nobody gets what would become of its body. */
    private void tryOut(Exchange exchange, List<Coders> packedBy) {
        Unpacking unpacking = Unpacking.enter(bounds, tried, 1);
        if (unpacking != null) {
            exchange.attach(this, new TriedBody(new UnpackedBody(packedBy.getLast(), unpacking, true)));
        }
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        if (exchange.attachment(this) instanceof TriedBody body) {
            tell(exchange, body.chunk(chunk));
        }
    }

    @Override
    public void onEnd(Exchange exchange) {
        if (exchange.attachment(this) instanceof TriedBody body) {
            try {
                tell(exchange, exchange.isRequestPassed() ? body.end() : null);
            } finally {
                body.close();
            }
        }
    }

    private void tell(Exchange exchange, @Nullable RefusedBodyException refused) {
        if (refused != null) {
            exchange.shadowed(refused.isTooLarge() ? tooLarge : garbled);
        }
    }

    /** What unpacks each of the codings, in the order in which they were applied; null where one isn't known, or they are too many. */
    private @Nullable List<Coders> packedBy(List<String> contentEncoding) {
        List<Coders> all = new ArrayList<>(1);
        for (String token : ListField.tokens(contentEncoding)) {
            if (token.equalsIgnoreCase("identity")) {
                continue;
            }
            Coding coding = Coding.of(token);
            Coders unpack = coding == null ? null : coders.get(coding);
            if (unpack == null || all.size() == unknown.codingsMax()) {
                return null;
            }
            all.add(unpack);
        }
        return all;
    }

    @Override
    public void close() {
        coders.values().forEach(Coders::close);
    }
}
