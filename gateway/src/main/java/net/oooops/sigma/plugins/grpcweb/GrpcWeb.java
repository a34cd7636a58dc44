package net.oooops.sigma.plugins.grpcweb;

import java.nio.ByteBuffer;
import java.util.List;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.ResponseHead;

/**
 * The bridge from gRPC-Web to gRPC (PROTOCOL-WEB.md of grpc/grpc). What a request is stands in its Content-Type: {@link MediaType}. A call is
 * attached to its exchange; what isn't one passes untouched.
 */
final class GrpcWeb implements Plugin {
    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");
    private static final FieldName ACCEPT = FieldName.of("Accept");
    private static final FieldName STATUS = FieldName.of("grpc-status");
    private static final FieldName MESSAGE = FieldName.of("grpc-message");
    /** What says how a call ended. */
    private static final FieldName[] OUTCOME = {STATUS, MESSAGE, FieldName.of("grpc-status-details-bin")};

    /** A call: what its client wants for an answer, and its body on the way. */
    private record Call(MediaType type, boolean textAnswer, RequestBody body) {
        MediaType answer(MediaType ofNode) {
            return new MediaType(true, textAnswer, ofNode.suffix().isEmpty() ? type.suffix() : ofNode.suffix());
        }
    }

    /** Of what is only tried nobody gets anything. */
    private static final BodyOutput NOBODY = new BodyOutput() {
        @Override
        public void write(int b) {}

        @Override
        public void write(byte[] bytes, int from, int count) {}

        @Override
        public void write(ByteBuffer bytes) {
            bytes.position(bytes.limit());
        }

        @Override
        public int room() {
            return Integer.MAX_VALUE;
        }
    };

    private final Reason garbled;
    private final Outcome refused;

    /** @param garbled why bodies of requests are refused */
    GrpcWeb(Reason garbled) {
        this.garbled = garbled;
        this.refused = garbled.refuse(Fault.BAD_REQUEST);
    }

    @Override
    public Needs needs() {
        return Needs.BOTH;
    }

    /** What its node would answer isn't known: it gets no call. */
    @Override
    public Needs needsInShadow() {
        return Needs.REQUEST.withRequestBody(BodyNeed.CHUNKS).withEnd();
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        MediaType type = MediaType.of(request.value(CONTENT_TYPE));
        if (type == null || !type.web() || !request.method().equals("POST")) {
            return Outcome.CONTINUE;
        }
        boolean textAnswer = type.text() || wantsText(request.values(ACCEPT));
        Call call = new Call(type, textAnswer, new RequestBody(type.text(), garbled));
        exchange.attach(this, call);
        exchange.toGrpc();
        request.set(type.toGrpc().field());
        exchange.transformRequestBody(call.body());
        return Outcome.CONTINUE;
    }

    /** In shadow: whether its frames would be refused. */
    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        if (exchange.attachment(this) instanceof Call call && call.body().refusal() == null) {
            try {
                call.body().chunk(chunk, NOBODY);
            } catch (RefusedBodyException _) {
                exchange.shadowed(refused);
            }
        }
    }

    @Override
    public void onEnd(Exchange exchange) {
        boolean isWhole = exchange.isRequestPassed();
        if (isWhole
                && exchange.attachment(this) instanceof Call call
                && call.body().refusal() == null) {
            try {
                call.body().end();
            } catch (RefusedBodyException _) {
                exchange.shadowed(refused);
            }
        }
    }

    private static boolean wantsText(List<String> accepts) {
        for (String accept : accepts) {
            for (String each : accept.split(",", -1)) {
                MediaType type = MediaType.of(each.strip());
                if (type != null && type.text()) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        if (!(exchange.attachment(this) instanceof Call call)) {
            return Outcome.CONTINUE;
        }
        ResponseHead response = exchange.response();
        MediaType type = MediaType.of(response.value(CONTENT_TYPE));
        if (response.status() != 200 || type == null || type.web()) {
            return Outcome.respond(noCall(call, response.status()));
        }
        TrailerFrame ofHead = takeOutcome(response);
        String refusal = call.body().refusal();
        if (refusal != null && exchange.fault() == Fault.BAD_REQUEST) {
            ofHead.set(MESSAGE.toString(), refusal);
        }
        response.set(call.answer(type).field());
        exchange.transformResponseBody(new ResponseBody(call.textAnswer(), ofHead));
        return Outcome.CONTINUE;
    }

    /** Takes out of a head what stands in the trailers of an answer that has a body ("Trailers-Only"). */
    private static TrailerFrame takeOutcome(ResponseHead response) {
        TrailerFrame taken = new TrailerFrame();
        if (response.has(STATUS)) {
            for (FieldName name : OUTCOME) {
                for (String value : response.values(name)) {
                    taken.add(name.toString(), value);
                }
                response.remove(name);
            }
        }
        return taken;
    }

    /** The answer in the place of one that isn't gRPC's, as of a proxy before the node. */
    private static Response noCall(Call call, int status) {
        TrailerFrame frame = new TrailerFrame();
        frame.add(STATUS.toString(), Integer.toString(statusOf(status)));
        frame.add(MESSAGE.toString(), "the answer is not of gRPC (HTTP status " + status + ")");
        return Response.withBody(200, List.of(call.answer(call.type()).field()), frame.bytes(call.textAnswer()));
    }

    /** The status of gRPC for one of HTTP (http-grpc-status-mapping.md of grpc/grpc). */
    private static int statusOf(int httpStatus) {
        return switch (httpStatus) {
            case 400 -> 13;
            case 401 -> 16;
            case 403 -> 7;
            case 404 -> 12;
            case 429, 502, 503, 504 -> 14;
            default -> 2;
        };
    }
}
