package net.oooops.sigma.api;

/**
 * What a plugin needs to be called for. What nobody needs costs nothing: a chain holds for each step only the plugins that
 * asked for it.
 *
 * @param request whether {@link Plugin#onRequest} is called
 * @param response whether {@link Plugin#onResponse} is called
 * @param end whether {@link Plugin#onEnd} is called
 * @param requestBody what it needs of the request's body
 * @param responseBody what it needs of the response's body
 * @param blocking whether {@code onRequest} and {@code onResponse} may block: they then run on a virtual thread with the
 *     exchange parked meanwhile
 * @param session whether {@link Plugin#onSession} is called
 */
public record Needs(
        boolean request,
        boolean response,
        boolean end,
        BodyNeed requestBody,
        BodyNeed responseBody,
        boolean blocking,
        boolean session) {
    /** The heads of requests only. */
    public static final Needs REQUEST = new Needs(true, false, false, BodyNeed.NONE, BodyNeed.NONE, false);

    /** The heads of responses only. */
    public static final Needs RESPONSE = new Needs(false, true, false, BodyNeed.NONE, BodyNeed.NONE, false);

    /** The heads of both. */
    public static final Needs BOTH = new Needs(true, true, false, BodyNeed.NONE, BodyNeed.NONE, false);

    /** The beginnings of sessions only. */
    public static final Needs SESSION = new Needs(false, false, false, BodyNeed.NONE, BodyNeed.NONE, false, true);

    /** What it needs of exchanges; sessions it doesn't see. */
    public Needs(
            boolean request,
            boolean response,
            boolean end,
            BodyNeed requestBody,
            BodyNeed responseBody,
            boolean blocking) {
        this(request, response, end, requestBody, responseBody, blocking, false);
    }

    /** Whether it is called for sessions, and for nothing else. */
    public boolean isSessionOnly() {
        return equals(SESSION);
    }

    /** The same, with {@code onRequest} and {@code onResponse} on a virtual thread. */
    public Needs withBlocking() {
        return new Needs(request, response, end, requestBody, responseBody, true, session);
    }

    /** The same, and {@link Plugin#onEnd} too. */
    public Needs withEnd() {
        return new Needs(request, response, true, requestBody, responseBody, blocking, session);
    }

    /** The same, with that need of the request's body. */
    public Needs withRequestBody(BodyNeed need) {
        return new Needs(request, response, end, need, responseBody, blocking, session);
    }

    /** The same, with that need of the response's body. */
    public Needs withResponseBody(BodyNeed need) {
        return new Needs(request, response, end, requestBody, need, blocking, session);
    }
}
