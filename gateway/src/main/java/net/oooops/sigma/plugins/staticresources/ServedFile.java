package net.oooops.sigma.plugins.staticresources;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.FilePart;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import org.jspecify.annotations.Nullable;

/**
 * One version of a file as it was found, and what is said of it. Immutable, but for the file that it may hold open.
 *
 * <p>Its tag is a strong one, of its length and the time of its last change to the nanosecond. Copies that keep the time have the same on all
 * machines.
 */
final class ServedFile {
    private static final Field ACCEPT_RANGES = Field.of("Accept-Ranges", "bytes");
    private static final Field BY_CODING = Field.of("Vary", "Accept-Encoding");
    private static final Field BY_TYPE = Field.of("Vary", "Accept");
    private static final Field BY_BOTH = Field.of("Vary", "Accept, Accept-Encoding");

    private static final int OK = 200;

    private final String coding;
    private final String type;
    private final long bytes;
    private final long modifiedSeconds;
    private final String modified;
    private final String tag;
    private final List<Field> fields;
    private final byte @Nullable [] content;
    private final @Nullable SharedFile open;
    private final List<Field> wholeFields;
    private final List<FilePart> wholeParts;
    private final @Nullable Outcome whole;
    private final Outcome notModified;

    /**
     * Where it lies and how it is told of.
     *
     * @param coding of its content, empty for none
     * @param type of its content before that coding
     * @param cacheControl null for none
     * @param vary by what another request for the same may be answered otherwise; null for nothing
     */
    record Kind(
            String coding,
            String type,
            @Nullable Field cacheControl,
            @Nullable Field vary) {}

    /** What {@link Kind#vary} says: whether there are codings to choose from, and whether others get none of them (RFC 9110 section 12.5.5). */
    static @Nullable Field vary(boolean codings, boolean fallback) {
        if (codings) {
            return fallback ? BY_BOTH : BY_CODING;
        }
        return fallback ? BY_TYPE : null;
    }

    /** One whose content is here: it may be closed. */
    ServedFile(Kind kind, Tree.OpenFile found, byte[] content) {
        this(kind, found, content, null);
    }

    /** One that stays open, until {@link #release}. */
    ServedFile(Kind kind, Tree.OpenFile found) {
        this(kind, found, null, new SharedFile(found.channel()));
    }

    private ServedFile(Kind kind, Tree.OpenFile found, byte @Nullable [] content, @Nullable SharedFile open) {
        this.coding = kind.coding;
        this.type = kind.type;
        this.bytes = found.bytes();
        this.modifiedSeconds = found.modifiedSeconds();
        this.modified = HttpDate.format(modifiedSeconds);
        this.tag = tagOf(found, kind.coding);
        this.content = content;
        this.open = open;
        List<Field> ofVersion = new ArrayList<>();
        ofVersion.add(Field.of("ETag", tag));
        ofVersion.add(Field.of("Last-Modified", modified));
        if (kind.cacheControl != null) {
            ofVersion.add(kind.cacheControl);
        }
        if (kind.vary != null) {
            ofVersion.add(kind.vary);
        }
        this.notModified = Outcome.respond(Response.withBody(304, ofVersion, new byte[0]));
        ofVersion.add(ACCEPT_RANGES);
        if (!coding.isEmpty()) {
            ofVersion.add(Field.of("Content-Encoding", coding));
        }
        this.fields = List.copyOf(ofVersion);
        this.wholeFields = List.copyOf(with(typeField()));
        this.wholeParts = List.of(new FilePart(Ascii.EMPTY, 0, bytes));
        this.whole = content == null ? null : Outcome.respond(Response.withBody(OK, wholeFields, content));
    }

    private static String tagOf(Tree.OpenFile found, String coding) {
        String version = Long.toHexString(found.modifiedSeconds()) + "." + Integer.toHexString(found.modifiedNanos())
                + "-" + Long.toHexString(found.bytes());
        return "\"" + version + (coding.isEmpty() ? "" : "-" + coding) + "\"";
    }

    /** The fields of an answer with any part of it, and that one. */
    List<Field> with(Field... more) {
        List<Field> all = new ArrayList<>(fields);
        all.addAll(List.of(more));
        return all;
    }

    Field typeField() {
        return Field.of("Content-Type", type);
    }

    String coding() {
        return coding;
    }

    String type() {
        return type;
    }

    long bytes() {
        return bytes;
    }

    long modifiedSeconds() {
        return modifiedSeconds;
    }

    /** The same as a date of HTTP. */
    String modified() {
        return modified;
    }

    String tag() {
        return tag;
    }

    byte @Nullable [] content() {
        return content;
    }

    /** The answer with all of it; null where it was closed. */
    @Nullable Outcome whole() {
        return whole == null ? answer(OK, wholeFields, wholeParts) : whole;
    }

    /** An answer with these parts of the open file; null where it was closed. */
    @Nullable Outcome answer(int status, List<Field> with, List<FilePart> parts) {
        FileBody body = open == null ? null : open.body(parts);
        return body == null ? null : Outcome.respond(Response.file(status, with, body));
    }

    Outcome notModified() {
        return notModified;
    }

    /** How much of it is in memory. */
    long keptBytes() {
        return content == null ? 0 : content.length;
    }

    /** How many files it holds open. */
    int open() {
        return open == null ? 0 : 1;
    }

    /** It isn't kept any more. */
    void release() {
        if (open != null) {
            open.release();
        }
    }
}
