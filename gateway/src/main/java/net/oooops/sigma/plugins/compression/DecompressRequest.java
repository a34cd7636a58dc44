package net.oooops.sigma.plugins.compression;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.ListField;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.plugins.compression.coding.Coding;
import org.jspecify.annotations.Nullable;

/** Unpacks the bodies of requests, in whichever codings {@code Content-Encoding} names, within {@link Unpacking.Bounds}. */
final class DecompressRequest implements Plugin {
    private static final FieldName CONTENT_ENCODING = FieldName.of("Content-Encoding");

    /** Checksums of what was received, not of what goes on (RFC 9530, RFC 3230, RFC 1864). */
    private static final FieldName[] DIGESTS = {
        FieldName.of("Content-Digest"), FieldName.of("Repr-Digest"), FieldName.of("Digest"), FieldName.of("Content-MD5")
    };

    private static final Field RETRY_SOON = Field.of("Retry-After", "1");

    /**
     * What becomes of requests whose codings can't be unpacked.
     *
     * @param codingsMax how many may lie one within the other
     * @param passes whether they go on as they are
     */
    record Unknown(int codingsMax, boolean passes) {}

    private final Map<Coding, Decoders> decoders = new EnumMap<>(Coding.class);
    private final Unpacking.Bounds bounds;
    private final Unknown unknown;
    private final Outcome unsupported;
    private final Outcome busy;
    private final Outcome clientBusy;
    private final Outcome tooLarge;
    private final Outcome garbled;
    private final Places places;

    /** @param codings what is unpacked, loaded before */
    DecompressRequest(
            List<Coding> codings, Unpacking.Bounds bounds, Places places, Unknown unknown, PluginContext context) {
        for (Coding coding : codings) {
            decoders.put(coding, Decoders.of(coding));
        }
        this.places = places;
        this.bounds = bounds;
        this.unknown = unknown;
        this.unsupported = context.reason("unsupported-coding").respond(unsupported(codings));
        this.busy = context.reason("too-many-bodies")
                .respond(Response.line(503, "Too many compressed requests are under way.", RETRY_SOON));
        this.clientBusy = context.reason("client-busy")
                .respond(Response.line(429, "Too many of yours are under way.", RETRY_SOON));
        this.tooLarge = bounds.refusals().tooLarge().refuse(Fault.BODY_TOO_LARGE);
        this.garbled = bounds.refusals().garbled().refuse(Fault.BAD_REQUEST);
    }

    /** RFC 9110 section 15.5.16 and RFC 7694. */
    private static Response unsupported(List<Coding> codings) {
        List<String> tokens = codings.stream().map(Coding::token).toList();
        return Response.line(
                415,
                "The content coding is not supported here.",
                Field.of("Accept-Encoding", String.join(", ", tokens)));
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
        List<Decoders> packedBy = packedBy(request.values(CONTENT_ENCODING));
        if (packedBy == null) {
            return unknown.passes() ? Outcome.CONTINUE : unsupported;
        }
        if (packedBy.isEmpty()) {
            return Outcome.CONTINUE;
        }
        if (request.hasBody()) {
            Outcome refused = exchange.isShadow() ? tryOut(exchange, packedBy) : unpack(exchange, packedBy);
            if (refused != null) {
                return refused;
            }
        }
        request.remove(CONTENT_ENCODING);
        for (FieldName digest : DIGESTS) {
            request.remove(digest);
        }
        return Outcome.CONTINUE;
    }

    /** Null where there is room for its body. */
    private @Nullable Outcome unpack(Exchange exchange, List<Decoders> packedBy) {
        IpAddress from = exchange.clientIp();
        Places.Admission admission = places.enter(from, packedBy.size(), Decoders.bytesMax(packedBy));
        if (admission != Places.Admission.ADMITTED) {
            return refused(admission);
        }
        Unpacking unpacking = new Unpacking(bounds, places, from);
        int last = packedBy.size() - 1;
        for (int i = last; i >= 0; i--) {
            exchange.transformRequestBody(new UnpackedBody(packedBy.get(i), unpacking, i == last));
        }
        return null;
    }

    private Outcome refused(Places.Admission admission) {
        return admission == Places.Admission.BUSY ? busy : clientBusy;
    }

    /**
     * The same, as long as those are counted that would be let in, too: until their exchanges are over. Nobody gets what would become of its body, of
     * which the outermost coding is looked at.
     */
    private @Nullable Outcome tryOut(Exchange exchange, List<Decoders> packedBy) {
        IpAddress from = exchange.clientIp();
        int codings = packedBy.size();
        long bytesMax = Decoders.bytesMax(packedBy);
        Places.Admission admission = places.enterTried(from, codings, bytesMax);
        if (admission != Places.Admission.ADMITTED) {
            return refused(admission);
        }
        Unpacking unpacking = new Unpacking(bounds, null, from);
        UnpackedBody body = new UnpackedBody(packedBy.getLast(), unpacking, true);
        exchange.attach(this, new TriedBody(body, () -> places.leaveTried(from, codings, bytesMax)));
        return null;
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
                body.over();
            }
        }
    }

    private void tell(Exchange exchange, @Nullable RefusedBodyException refused) {
        if (refused != null) {
            exchange.shadowed(refused.isTooLarge() ? tooLarge : garbled);
        }
    }

    /** What unpacks each of the codings, in the order in which they were applied; null where one isn't known, or they are too many. */
    private @Nullable List<Decoders> packedBy(List<String> contentEncoding) {
        List<Decoders> all = new ArrayList<>(1);
        for (String token : ListField.tokens(contentEncoding)) {
            if (token.equalsIgnoreCase("identity")) {
                continue;
            }
            Coding coding = Coding.of(token);
            Decoders unpack = coding == null ? null : decoders.get(coding);
            if (unpack == null || all.size() == unknown.codingsMax()) {
                return null;
            }
            all.add(unpack);
        }
        return all;
    }

    @Override
    public void close() {
        decoders.values().forEach(each -> each.coders().close());
    }
}
