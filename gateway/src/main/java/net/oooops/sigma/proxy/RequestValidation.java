package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.FieldValues;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.route.HostName;
import net.oooops.sigma.route.PathFault;
import net.oooops.sigma.route.PathNormalizer;
import org.jspecify.annotations.Nullable;

/**
 * What the codec can't judge of a request: host, path, loops, and methods that are none of a proxy's business. The same for requests
 * that come in and for those that {@code sigma explain} is asked about.
 *
 * <p>Has room of its own to work in: one for each thread.
 */
public final class RequestValidation {
    /** What came of it. */
    public enum Result {
        /** The request can be routed. */
        VALID(null, null, ""),
        METHOD(Fault.METHOD_NOT_ALLOWED, null, "TRACE is not forwarded, nor CONNECT unless a route names it"),
        CONNECT_BODY(Refusal.CONNECT_BODY),
        HOST(Refusal.HOST_INVALID),
        TARGET(Refusal.TARGET_FORM),
        PATH(Refusal.PATH_INVALID),
        LOOP(Fault.LOOP_DETECTED, null, "passed here limits.passes times");

        private final @Nullable Fault fault;
        private final @Nullable Refusal refusal;
        private final String text;

        Result(Refusal refusal) {
            this(refusal.fault(), refusal, refusal.text());
        }

        Result(@Nullable Fault fault, @Nullable Refusal refusal, String text) {
            this.fault = fault;
            this.refusal = refusal;
            this.text = text;
        }

        /** What the exchange fails with; null where the request is valid. */
        public @Nullable Fault fault() {
            return fault;
        }

        /** What of the request's form is refused; null where that isn't it. */
        public @Nullable Refusal refusal() {
            return refusal;
        }

        /** Why, for people. */
        public String text() {
            return text;
        }
    }

    private static final Ascii TRACE = Ascii.of("TRACE");

    private final PathNormalizer normalizer;
    private final Identity identity;
    private final int passesMax;
    private final boolean takesConnect;
    private int hostEnd;

    /**
     * For the requests of one Listener.
     *
     * @param normalizer scratch of the caller's thread
     * @param identity of this gateway, to know its own Via fields by
     * @param passesMax how often a request may have passed it
     * @param takesConnect whether one of the Listener's routes takes CONNECT
     */
    public RequestValidation(PathNormalizer normalizer, Identity identity, int passesMax, boolean takesConnect) {
        this.normalizer = normalizer;
        this.identity = identity;
        this.passesMax = passesMax;
        this.takesConnect = takesConnect;
    }

    /** Judges a request whose head was read, and brings its path into the one form that routes are matched with, in its place. */
    public Result validate(HttpRequestHead head) {
        hostEnd = 0;
        if (head.isAuthorityForm()) {
            return takesConnect ? connect(head) : Result.METHOD;
        }
        long host = HostName.parse(head.received(), head.authorityStart(), head.authorityEnd());
        if (host == HostName.INVALID) {
            return Result.HOST;
        }
        hostEnd = HostName.hostEnd(host);
        if (head.target().isAbsoluteForm()) {
            Result absolute = absolute(head);
            if (absolute != Result.VALID) {
                return absolute;
            }
        }
        if (!RequestPath.normalize(head, normalizer)) {
            return Result.PATH;
        }
        if (head.methodIs(TRACE)) {
            return Result.METHOD;
        }
        return passes(head);
    }

    private Result passes(HttpRequestHead head) {
        return FieldValues.count(head, KnownField.VIA, identity.pseudonym()) < passesMax ? Result.VALID : Result.LOOP;
    }

    /** RFC 9110 section 9.3.6: host and port, and no body. A Host that is wrong stays wrong, as beside an absolute target. */
    private Result connect(HttpRequestHead head) {
        long host = HostName.parse(head.received(), head.authorityStart(), head.authorityEnd());
        long field = HostName.parse(head.received(), head.hostFieldStart(), head.hostFieldEnd());
        if (host == HostName.INVALID || HostName.port(host) == 0 || field == HostName.INVALID) {
            return Result.HOST;
        }
        hostEnd = HostName.hostEnd(host);
        return head.hasBody() ? Result.CONNECT_BODY : passes(head);
    }

    /**
     * Judges the path that a plugin gave, if one did, as a client's is judged, and brings it into the same form, in its place.
     *
     * @return why the request is to be refused; null where it may go on
     */
    public @Nullable PathFault validateRewritten(HttpRequestHead head) {
        if (!head.target().isPathRewritten()) {
            return null;
        }
        int fault = RequestPath.normalizeRewritten(head, normalizer);
        return fault < 0 ? PathFault.of(fault) : null;
    }

    /** RFC 9112 section 3.2.2: the target's authority counts, yet a Host that is wrong stays wrong; RFC 9110 section 7.4. */
    private static Result absolute(HttpRequestHead head) {
        if (head.target().isHttps() && head.scheme().equals("http")) {
            return Result.TARGET;
        }
        long field = HostName.parse(head.received(), head.hostFieldStart(), head.hostFieldEnd());
        return field == HostName.INVALID ? Result.HOST : Result.VALID;
    }

    /** Where the host of the request that was judged last ends, without port and trailing dot; 0 where it couldn't be read. */
    public int hostEnd() {
        return hostEnd;
    }
}
