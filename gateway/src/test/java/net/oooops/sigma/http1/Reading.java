package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.MessageHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;

/**
 * What the codec understands of bytes that come in pieces, as text, so that two readings can be compared. Pieces are fed as
 * connections feed them.
 */
public final class Reading {
    /** What a reading is whose bytes don't suffice. */
    static final String MORE = "more";

    private static final int COPY_BYTES = 2048;

    private Reading() {}

    /** The bytes cut at these places. */
    static List<byte[]> cut(byte[] raw, int... places) {
        List<byte[]> pieces = new ArrayList<>();
        int from = 0;
        for (int place : places) {
            pieces.add(Arrays.copyOfRange(raw, from, place));
            from = place;
        }
        pieces.add(Arrays.copyOfRange(raw, from, raw.length));
        return pieces;
    }

    /** Each byte by itself. */
    static List<byte[]> singly(byte[] raw) {
        List<byte[]> pieces = new ArrayList<>();
        for (byte b : raw) {
            pieces.add(new byte[] {b});
        }
        return pieces;
    }

    /** A request's head. */
    static String request(List<byte[]> pieces, Limits limits) {
        HttpRequestHead head = new HttpRequestHead();
        String end = feed(head, pieces, () -> RequestParser.parse(head, limits));
        return end.startsWith("done")
                ? end + " body=" + head.hasBody() + " expects=" + head.expectsContinue() + " host="
                        + Octets.string(head.received(), head.authorityStart(), head.authorityEnd()) + " "
                        + head.target().isAbsoluteForm() + head.target().isAsteriskForm() + head.isAuthorityForm()
                        + " received="
                        + head.names() + "\n" + common(head) + written(head)
                : end;
    }

    /** A response's head. */
    static String response(List<byte[]> pieces, Limits limits) {
        HttpResponseHead head = new HttpResponseHead();
        String end = feed(head, pieces, () -> ResponseParser.parse(head, limits));
        return end.startsWith("done")
                ? end + " date=" + head.hasDate() + " keepAlive=" + head.keepAliveSeconds() + " received="
                        + head.names() + "\n" + common(head) + written(head)
                : end;
    }

    /** A chunked body. */
    static String chunked(List<byte[]> pieces, Limits limits) {
        BodyDecoder body = new BodyDecoder();
        body.beginChunked(limits.bodyBytesMax());
        StringBuilder content = new StringBuilder();
        int consumed = 0;
        for (byte[] piece : pieces) {
            ByteBuf in = Unpooled.wrappedBuffer(piece);
            BodyDecoder.Part part = body.next(in, limits);
            while (part == BodyDecoder.Part.CONTENT) {
                content.append(in.readCharSequence(body.contentBytes(), ISO_8859_1));
                part = body.isEnd() ? BodyDecoder.Part.END : body.next(in, limits);
            }
            consumed += in.readerIndex();
            if (part == BodyDecoder.Part.REFUSED) {
                Refusal why = body.refusal();
                return "refused " + (why == null ? "without reason" : why.fault());
            }
            if (part == BodyDecoder.Part.END) {
                return "done after " + consumed + "\n" + content + "\n" + trailers(body);
            }
        }
        return MORE;
    }

    /** The head as it goes on. */
    public static String written(HttpRequestHead head) {
        HeadWriter out = new HeadWriter().begin();
        out.requestLine(head);
        out.fields(head);
        out.end();
        return text(out);
    }

    /** The head as it goes on. */
    static String written(HttpResponseHead head) {
        HeadWriter out = new HeadWriter().begin();
        out.statusLine(head);
        out.fields(head);
        out.end();
        return text(out);
    }

    /** What a writer holds. */
    static String text(HeadWriter out) {
        ByteBuf bytes = Unpooled.buffer();
        out.copyTo(bytes);
        return bytes.toString(ISO_8859_1);
    }

    private static String trailers(BodyDecoder body) {
        Trailers trailers = body.trailers();
        if (trailers == null) {
            return "";
        }
        HeadWriter out = new HeadWriter().begin();
        out.fields(trailers);
        return text(out);
    }

    private static String common(MessageHead head) {
        return "1." + head.minorVersion() + " length=" + head.contentLength() + " chunked=" + head.isChunked()
                + " persists=" + head.isPersistent() + "\n";
    }

    private interface Parse {
        Step parse();
    }

    private static String feed(MessageHead head, List<byte[]> pieces, Parse parser) {
        int consumed = 0;
        for (byte[] piece : pieces) {
            ByteBuf in = Unpooled.wrappedBuffer(piece);
            while (in.isReadable()) {
                head.append(in, Math.min(in.readableBytes(), COPY_BYTES));
                Step step = parser.parse();
                if (step == Step.REFUSED) {
                    Refusal why = head.refusal();
                    return "refused " + (why == null ? "without reason" : why.fault());
                }
                if (step == Step.DONE) {
                    in.readerIndex(in.readerIndex() - head.dropSurplus());
                    return "done after " + (consumed + in.readerIndex());
                }
            }
            consumed += piece.length;
        }
        return MORE;
    }
}
