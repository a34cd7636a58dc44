package net.oooops.sigma.plugins.staticresources;

import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.FilePart;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.plugins.staticresources.ByteRanges.Span;
import org.jspecify.annotations.Nullable;

/** Answers with files: all of one, or ranges of it (RFC 9110 sections 14 and 15.3.7). */
final class Answers {
    private static final Outcome PRECONDITION_FAILED =
            Outcome.respond(Response.text(412, "The file is another version.\n"));

    /** Needs bytes of the file. */
    private static final int OK = 200;

    private static final int PARTIAL = 206;
    private static final String RANGE_FIELD = "Content-Range";

    private final int rangesMax;

    Answers(int rangesMax) {
        this.rangesMax = rangesMax;
    }

    /** What is to be sent, of a file whose content isn't in memory: null where nothing of it is. */
    @Nullable Outcome withoutContent(ServedFile file, Asked asked) {
        return switch (Conditions.judge(asked, file)) {
            case NOT_MODIFIED -> file.notModified();
            case FAILED -> PRECONDITION_FAILED;
            case SEND -> spans(file, asked) == null ? unsatisfiable(file) : null;
        };
    }

    /** The same of one whose content is in memory. */
    Outcome of(ServedFile file, Asked asked, byte[] content) {
        Outcome without = withoutContent(file, asked);
        List<Span> spans = spans(file, asked);
        if (without != null || spans == null) {
            return without == null ? unsatisfiable(file) : without;
        }
        Outcome whole = file.whole();
        if (spans.isEmpty() && whole != null) {
            return whole;
        }
        Parts parts = parts(file, spans);
        byte[] body = new byte[(int) parts.bytes()];
        int at = 0;
        for (FilePart part : parts.list) {
            at = part.before().copyTo(body, at);
            System.arraycopy(content, (int) part.position(), body, at, (int) part.bytes());
            at += (int) part.bytes();
        }
        return Outcome.respond(Response.withBody(parts.status, parts.fields, body));
    }

    /** The same of one that is open, which has been given away then. */
    Outcome of(ServedFile file, Asked asked, FileChannel channel) {
        List<Span> spans = spans(file, asked);
        Parts parts = parts(file, spans == null ? ByteRanges.WHOLE : spans);
        return Outcome.respond(Response.file(parts.status, parts.fields, FileBody.ofParts(channel, parts.list)));
    }

    private @Nullable List<Span> spans(ServedFile file, Asked asked) {
        String range = asked.range();
        long nowSeconds = System.currentTimeMillis() / 1000;
        if (range == null || !Conditions.isSameVersion(asked.ifRange(), file, nowSeconds)) {
            return ByteRanges.WHOLE;
        }
        return ByteRanges.of(range, file.bytes(), rangesMax);
    }

    private static Outcome unsatisfiable(ServedFile file) {
        Field length = Field.of(RANGE_FIELD, "bytes */" + file.bytes());
        return Outcome.respond(Response.of(416, length));
    }

    /** What goes into an answer. */
    private record Parts(int status, List<Field> fields, List<FilePart> list) {
        long bytes() {
            long sum = 0;
            for (FilePart part : list) {
                sum += part.before().length() + part.bytes();
            }
            return sum;
        }
    }

    private static Parts parts(ServedFile file, List<Span> spans) {
        if (spans.isEmpty()) {
            return new Parts(OK, file.with(file.typeField()), List.of(new FilePart(Ascii.EMPTY, 0, file.bytes())));
        }
        if (spans.size() == 1) {
            Span span = spans.getFirst();
            Field range = Field.of(RANGE_FIELD, said(span, file));
            return new Parts(
                    PARTIAL,
                    file.with(file.typeField(), range),
                    List.of(new FilePart(Ascii.EMPTY, span.first(), span.bytes())));
        }
        // Nobody can put it into a file before.
        String boundary = Long.toHexString(ThreadLocalRandom.current().nextLong())
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
        List<FilePart> list = new ArrayList<>();
        for (Span span : spans) {
            String head = (list.isEmpty() ? "" : "\r\n") + "--" + boundary + "\r\nContent-Type: " + file.type() + "\r\n"
                    + RANGE_FIELD + ": " + said(span, file) + "\r\n\r\n";
            list.add(new FilePart(Ascii.of(head), span.first(), span.bytes()));
        }
        list.add(new FilePart(Ascii.of("\r\n--" + boundary + "--\r\n"), 0, 0));
        Field type = Field.of("Content-Type", "multipart/byteranges; boundary=" + boundary);
        return new Parts(PARTIAL, file.with(type), list);
    }

    private static String said(Span span, ServedFile file) {
        return "bytes " + span.first() + "-" + (span.end() - 1) + "/" + file.bytes();
    }
}
