package net.oooops.sigma.route;

/** Why a path is refused with 400, be it a client's or what a plugin made of one. */
public enum PathFault {
    /** It does not begin with a slash. */
    NOT_ABSOLUTE(-1, "does not begin with /"),
    /** A percent sign without two hexadecimal digits after it (RFC 3986 section 2.1). */
    BAD_PERCENT(-2, "% without two hexadecimal digits"),
    /** {@code %00}. */
    NUL(-3, "%00"),
    /** A backslash, raw or as {@code %5C}: a slash to some servers, a letter to others. */
    BACKSLASH(-4, "backslash"),
    /**
     * A longer form of NUL, {@code .}, {@code /} or a backslash than UTF-8 has (RFC 3629 section 10), such as {@code %C0%AF}: a slash
     * to servers that decode carelessly.
     */
    OVERLONG(-5, "an overlong form of NUL, ., / or \\"),
    /** More {@code ..} than there are segments before it. */
    ABOVE_ROOT(-6, ".. above the root"),
    /**
     * A segment that servers read differently: {@code ..;x} and {@code .%2F}, a dot segment to those that cut parameters or
     * decode slashes first; {@code /;x/}, no segment at all to those that cut parameters.
     */
    AMBIGUOUS(-7, "a segment that servers read differently"),
    /** A byte beyond ASCII that isn't percent-encoded (RFC 3986 section 2). */
    NOT_ASCII(-8, "a byte beyond ASCII"),
    /** A byte that is none of a path's (RFC 3986 section 3.3). What a client sends is looked through before it gets here. */
    NOT_OF_A_PATH(-9, "a byte that no path may hold"),
    /** {@code .} or {@code ..} in what was made of a normalised path: to remove it would lead out of where it was to lead. */
    DOT_SEGMENT(-10, "a dot segment");

    private final int code;
    private final String text;

    PathFault(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** A few words for logs. */
    public String text() {
        return text;
    }

    /**
     * The fault that {@link PathNormalizer#normalize} returned as {@code code}.
     *
     * @throws IllegalArgumentException where it is none of its codes
     */
    public static PathFault of(int code) {
        for (PathFault fault : values()) {
            if (fault.code == code) {
                return fault;
            }
        }
        throw new IllegalArgumentException("code: " + code + " (expected: a negative result of normalize)");
    }

    /** The number below 0 that stands for it. */
    public int code() {
        return code;
    }
}
