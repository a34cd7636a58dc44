package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.TargetText;
import net.oooops.sigma.route.PathFault;
import net.oooops.sigma.route.PathNormalizer;

/** Brings the path of a request into the one form that routes are matched with, plugins see and nodes get. */
final class RequestPath {
    private static final Ascii OPTIONS = Ascii.of("OPTIONS");
    private static final Ascii ROOT = Ascii.of("/");

    private RequestPath() {}

    /**
     * Normalises the path of {@code head}, in its place.
     *
     * @param normalizer scratch of the caller's thread
     * @return whether it is a path that may be forwarded; where not, the request is to be refused
     */
    static boolean normalize(HttpRequestHead head, PathNormalizer normalizer) {
        if (head.target().isAsteriskForm()
                || PathNormalizer.isPlain(
                        head.target().pathBytes(),
                        head.target().pathStart(),
                        head.target().pathEnd())) {
            return true;
        }
        if (head.target().pathStart() == head.target().pathEnd()) {
            if (head.methodIs(OPTIONS) && !head.target().hasQuery()) {
                // RFC 9112 section 3.2.4: of a target in absolute form, as no other one has an empty path.
                head.target().toAsteriskForm();
            } else {
                // RFC 9110 section 4.2.3: an empty path is the same as "/".
                head.replacePathPrefix(0, ROOT);
                head.target().acceptPath();
            }
            return true;
        }
        return take(
                        head,
                        normalizer,
                        normalizer.normalize(
                                head.target().pathBytes(),
                                head.target().pathStart(),
                                head.target().pathEnd()))
                >= 0;
    }

    /**
     * Holds the path that a plugin gave to the same rules, and to one more: it has no dot segments.
     *
     * @return below 0 the fault for which the request is to be refused
     */
    static int normalizeRewritten(HttpRequestHead head, PathNormalizer normalizer) {
        if (!TargetText.isPath(
                head.target().pathBytes(),
                head.target().pathStart(),
                head.target().pathEnd())) {
            return PathFault.NOT_OF_A_PATH.code();
        }
        if (!PathNormalizer.isPlain(
                head.target().pathBytes(),
                head.target().pathStart(),
                head.target().pathEnd())) {
            int length = normalizer.normalizeRewritten(
                    head.target().pathBytes(),
                    head.target().pathStart(),
                    head.target().pathEnd());
            if (take(head, normalizer, length) < 0) {
                return length;
            }
        }
        head.target().acceptPath();
        return 0;
    }

    private static int take(HttpRequestHead head, PathNormalizer normalizer, int length) {
        if (length >= 0) {
            System.arraycopy(normalizer.bytes(), 0, head.target().pathRoom(length), 0, length);
            head.target().changedPath(length);
        }
        return length;
    }
}
