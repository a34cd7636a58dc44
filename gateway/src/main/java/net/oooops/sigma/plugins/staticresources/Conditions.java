package net.oooops.sigma.plugins.staticresources;

import java.util.List;
import net.oooops.sigma.api.EntityTags;
import org.jspecify.annotations.Nullable;

/** Conditions of requests on the version of a file, in the order of RFC 9110 section 13.2.2. */
final class Conditions {
    /** What they come to. */
    enum Verdict {
        /** The file is sent, or what Range says of it. */
        SEND,
        /** The client has it: 304. */
        NOT_MODIFIED,
        /** 412. */
        FAILED
    }

    private Conditions() {}

    static Verdict judge(Asked asked, ServedFile file) {
        List<String> ifMatch = asked.ifMatch();
        if (ifMatch != null) {
            if (!EntityTags.matchesStrongly(ifMatch, file.tag())) {
                return Verdict.FAILED;
            }
        } else if (isChangedSince(asked.ifUnmodifiedSince(), file)) {
            return Verdict.FAILED;
        }
        List<String> ifNoneMatch = asked.ifNoneMatch();
        if (ifNoneMatch != null) {
            return EntityTags.matchesWeakly(ifNoneMatch, file.tag()) ? Verdict.NOT_MODIFIED : Verdict.SEND;
        }
        return isUnchangedSince(asked.ifModifiedSince(), file) ? Verdict.NOT_MODIFIED : Verdict.SEND;
    }

    private static boolean isChangedSince(@Nullable String field, ServedFile file) {
        long date = field == null ? HttpDate.NONE : HttpDate.parse(field);
        return date != HttpDate.NONE && file.modifiedSeconds() > date;
    }

    private static boolean isUnchangedSince(@Nullable String field, ServedFile file) {
        if (field == null) {
            return false;
        }
        if (field.equals(file.modified())) {
            return true;
        }
        long date = HttpDate.parse(field);
        return date != HttpDate.NONE && file.modifiedSeconds() <= date;
    }

    /**
     * Whether Range is to be heeded (section 13.1.5): If-Range names this very version. A weak tag never does, nor a date within a second of
     * which the file may have changed again.
     */
    static boolean isSameVersion(@Nullable String ifRange, ServedFile file, long nowSeconds) {
        if (ifRange == null) {
            return true;
        }
        if (ifRange.endsWith("\"")) {
            return ifRange.equals(file.tag());
        }
        return HttpDate.parse(ifRange) == file.modifiedSeconds() && nowSeconds > file.modifiedSeconds() + 1;
    }
}
