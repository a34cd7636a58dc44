package net.oooops.sigma.plugins.staticresources;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FilePart;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.plugins.staticresources.ByteRanges.Span;
import org.jspecify.annotations.Nullable;

/** Answers with files: all of one, or ranges of it (RFC 9110 sections 14 and 15.3.7). */
final class Answers {
    private static final int PARTIAL = 206;
    private static final String RANGE_FIELD = "Content-Range";

    private final int rangesMax;
    private final Refusals refusals;

    Answers(int rangesMax, Refusals refusals) {
        this.rangesMax = rangesMax;
        this.refusals = refusals;
    }

    /** The answer; null where it needs bytes of a file that was closed meanwhile. */
    @Nullable Outcome of(ServedFile file, Asked asked) {
        return switch (Conditions.judge(asked, file)) {
            case NOT_MODIFIED -> file.notModified();
            case FAILED -> refusals.precondition();
            case SEND -> sent(file, spans(file, asked));
        };
    }

    private @Nullable Outcome sent(ServedFile file, @Nullable List<Span> spans) {
        if (spans == null) {
            return unsatisfiable(file);
        }
        if (spans.isEmpty()) {
            return file.whole();
        }
        Parts parts = parts(file, spans);
        byte[] content = file.content();
        return content == null
                ? file.answer(PARTIAL, parts.fields, parts.list)
                : Outcome.respond(Response.withBody(PARTIAL, parts.fields, parts.of(content)));
    }

    private @Nullable List<Span> spans(ServedFile file, Asked asked) {
        String range = asked.range();
        long nowSeconds = System.currentTimeMillis() / 1000;
        if (range == null || !Conditions.isSameVersion(asked.ifRange(), file, nowSeconds)) {
            return ByteRanges.WHOLE;
        }
        return ByteRanges.of(range, file.bytes(), rangesMax);
    }

    private Outcome unsatisfiable(ServedFile file) {
        Field length = Field.of(RANGE_FIELD, "bytes */" + file.bytes());
        return refusals.range().respond(Response.of(416, length));
    }

    /** What goes into an answer. */
    private record Parts(List<Field> fields, List<FilePart> list) {
        /** The same bytes of a file whose content is in memory. */
        byte[] of(byte[] content) {
            long bytes = 0;
            for (FilePart part : list) {
                bytes += part.before().length() + part.bytes();
            }
            byte[] body = new byte[(int) bytes];
            int at = 0;
            for (FilePart part : list) {
                at = part.before().copyTo(body, at);
                System.arraycopy(content, (int) part.position(), body, at, (int) part.bytes());
                at += (int) part.bytes();
            }
            return body;
        }
    }

    private static Parts parts(ServedFile file, List<Span> spans) {
        if (spans.size() == 1) {
            Span span = spans.getFirst();
            Field range = Field.of(RANGE_FIELD, said(span, file));
            return new Parts(
                    file.with(file.typeField(), range), List.of(new FilePart(Ascii.EMPTY, span.first(), span.bytes())));
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
        return new Parts(file.with(type), list);
    }

    private static String said(Span span, ServedFile file) {
        return "bytes " + span.first() + "-" + (span.end() - 1) + "/" + file.bytes();
    }
}
