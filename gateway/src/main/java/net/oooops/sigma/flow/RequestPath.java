package net.oooops.sigma.flow;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.http1.Http1RequestHead;
import net.oooops.sigma.route.PathNormalizer;

/** Brings the path of a request into the one form that routes are matched with, plugins see and nodes get. */
final class RequestPath {
    private static final Ascii ROOT = Ascii.of("/");

    private RequestPath() {}

    /**
     * Normalises the path of {@code head}, in its place.
     *
     * @param normalizer scratch of the caller's thread
     * @return whether it is a path that may be forwarded; where not, the request is to be refused
     */
    static boolean normalize(Http1RequestHead head, PathNormalizer normalizer) {
        if (head.isAsteriskForm() || PathNormalizer.isPlain(head.pathBytes(), head.pathStart(), head.pathEnd())) {
            return true;
        }
        if (head.pathStart() == head.pathEnd()) {
            if (!head.toAsteriskForm()) {
                // RFC 9110 section 4.2.3: an empty path is the same as "/".
                head.replacePathPrefix(0, ROOT);
            }
            return true;
        }
        int length = normalizer.normalize(head.pathBytes(), head.pathStart(), head.pathEnd());
        if (length < 0) {
            return false;
        }
        System.arraycopy(normalizer.bytes(), 0, head.pathRoom(length), 0, length);
        head.changedPath(length);
        return true;
    }
}
