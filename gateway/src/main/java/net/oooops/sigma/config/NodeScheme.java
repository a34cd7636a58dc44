package net.oooops.sigma.config;

import java.util.Locale;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** The scheme of a node's URL: what it speaks, and whether that is encrypted. */
public enum NodeScheme {
    HTTP(Protocol.HTTP, false, 80),
    HTTPS(Protocol.HTTP, true, 443),
    /** HTTP/2 without having agreed on it before (RFC 9113 section 3.3). */
    H2C(Protocol.HTTP, false, 80),
    /** HTTP/2, agreed on in the handshake (RFC 9113 section 3.2). */
    H2(Protocol.HTTP, true, 443),
    TCP(Protocol.TCP, false, 0),
    TLS(Protocol.TCP, true, 0),
    UDP(Protocol.UDP, false, 0),
    BOLT(Protocol.BOLT, false, 0),
    BOLTS(Protocol.BOLT, true, 0);

    /** What {@code protocol} of an upstream says where each handshake agrees on a version of HTTP. */
    static final String AUTO = "auto";

    private static final String HTTP_1_1 = "http/1.1";

    private final Protocol protocol;
    private final boolean secure;
    private final int portDefault;
    private final String word;
    private final String prefix;
    private final String form;

    NodeScheme(Protocol protocol, boolean secure, int portDefault) {
        this.protocol = protocol;
        this.secure = secure;
        this.portDefault = portDefault;
        this.word = name().toLowerCase(Locale.ROOT);
        this.prefix = word + "://";
        this.form = prefix + "host:port";
    }

    /** That of a URL; {@link #HTTP} where it is none of these. */
    public static NodeScheme of(String url) {
        for (NodeScheme scheme : values()) {
            if (scheme.begins(url)) {
                return scheme;
            }
        }
        return HTTP;
    }

    /** That of a word in sigma.json; {@link #HTTP} where it is none of these. Which version is spoken is only agreed on over TLS. */
    static NodeScheme ofWord(String word) {
        if (word.equals(AUTO)) {
            return HTTPS;
        }
        for (NodeScheme scheme : values()) {
            if (scheme.word().equals(word)) {
                return scheme;
            }
        }
        return HTTP;
    }

    boolean begins(String url) {
        return url.regionMatches(true, 0, prefix, 0, prefix.length());
    }

    /** What nodes speak. */
    public Protocol protocol() {
        return protocol;
    }

    /** Whether that is HTTP/2. */
    public boolean isHttp2() {
        return this == H2C || this == H2;
    }

    /** Whether they do so over TLS. */
    public boolean isSecure() {
        return secure;
    }

    /** That of nodes which speak the same over TLS; null where there is none. */
    @Nullable NodeScheme secure() {
        for (NodeScheme scheme : values()) {
            if (scheme.secure && scheme.protocol == protocol && scheme.isHttp2() == isHttp2()) {
                return scheme;
            }
        }
        return null;
    }

    /** Which versions {@code protocol} may say beside nodes whose URLs begin so, as a message has them; null where it may say none. */
    @Nullable String versions() {
        return switch (this) {
            case HTTP -> "\"http/1.1\" or \"h2c\"";
            case HTTPS -> "\"http/1.1\", \"h2\" or \"auto\"";
            case H2C, H2 -> Json.quoted(word());
            default -> null;
        };
    }

    /** As what nodes whose URLs begin so are spoken to where {@code protocol} says that; null where the two contradict each other. */
    @Nullable NodeScheme in(String version) {
        return switch (version) {
            case HTTP_1_1 -> this == HTTP || this == HTTPS ? this : null;
            case "h2c" -> this == HTTP || this == H2C ? H2C : null;
            case "h2" -> this == HTTPS || this == H2 ? H2 : null;
            case AUTO -> this == HTTPS ? this : null;
            default -> null;
        };
    }

    /** Whether nodes of that scheme may be what nodes of this one are: all but the version is the same, and this one says the version. */
    boolean takes(NodeScheme other) {
        return other == this || (isHttp2() && !other.isHttp2() && other.protocol == protocol && other.secure == secure);
    }

    /** The port of a URL that names none; 0 where each has to. */
    public int portDefault() {
        return portDefault;
    }

    /** As sigma.json writes it: {@code https}. */
    public String word() {
        return word;
    }

    /** How a URL begins: {@code https://}. */
    public String prefix() {
        return prefix;
    }

    /** How the URL of a node looks. */
    String form() {
        return form;
    }
}
