package net.oooops.sigma.config;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import net.oooops.sigma.api.UnfitException;

/** Methods, field names and media types (RFC 9110 sections 5.6.2, 8.3.1, 9.1) as sigma.json writes them. */
final class HttpSyntax {

    /** The method that opens a tunnel (RFC 9110 section 9.3.6). */
    static final String CONNECT = "CONNECT";

    static final Set<String> USUAL_METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "QUERY", CONNECT);
    /** Not to be switched to: what passes would be HTTP again, past routes and plugins, or encrypted to the node. */
    private static final List<String> REFUSED_UPGRADES = List.of("h2c", "h2", "http", "tls");

    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

    private HttpSyntax() {}

    static boolean isToken(String text) {
        return Chars.areAlphanumericOr(TOKEN_MARKS, text);
    }

    static void checkFieldName(String name) {
        if (!isToken(name)) {
            throw new UnfitException("the name of a header field");
        }
    }

    static void checkMethod(String method) {
        String upper = method.toUpperCase(Locale.ROOT);
        if (upper.equals("TRACE")) {
            throw new UnfitException("a method other than TRACE, which is refused");
        }
        if (!method.equals(upper) && USUAL_METHODS.contains(upper)) {
            throw new UnfitException("a method, in upper case", upper);
        }
        if (!isToken(method)) {
            throw new UnfitException("a method such as GET");
        }
    }

    /** The method of a check of nodes. */
    static void checkProbeMethod(String method) {
        if (method.equalsIgnoreCase(CONNECT)) {
            throw new UnfitException("a method other than CONNECT");
        }
        checkMethod(method);
    }

    /** A protocol that a connection may be switched to (RFC 9110 section 7.8): its name, or that and its version. */
    static void checkUpgrade(String protocol) {
        int slash = protocol.indexOf('/');
        String name = slash < 0 ? protocol : protocol.substring(0, slash);
        if (!isToken(name) || (slash >= 0 && !isToken(protocol.substring(slash + 1)))) {
            throw new UnfitException("the name of a protocol, such as websocket");
        }
        if (REFUSED_UPGRADES.contains(name.toLowerCase(Locale.ROOT))) {
            throw new UnfitException("a protocol other than HTTP and TLS, which would pass by all routes and plugins");
        }
    }

    /** A media type without parameters; a range with {@code *} only where that makes sense. */
    static void checkMediaType(String type, boolean range) {
        String expected =
                range ? "a media type such as application/json or text/*" : "a media type such as application/json";
        int semicolon = type.indexOf(';');
        if (semicolon >= 0) {
            throw new UnfitException(
                    "a media type without parameters",
                    type.substring(0, semicolon).strip());
        }
        int slash = type.indexOf('/');
        String main = slash < 0 ? "" : type.substring(0, slash);
        String sub = slash < 0 ? "" : type.substring(slash + 1);
        boolean wild = main.contains("*") || sub.contains("*");
        boolean fits = isToken(main) && isToken(sub);
        boolean everyType = main.equals("*") && sub.equals("*");
        boolean everySubtype = !main.contains("*") && sub.equals("*");
        if (!fits || (wild && !(range && (everyType || everySubtype)))) {
            throw new UnfitException(expected);
        }
    }

    /** A Content-Type: a media type, and parameters that are printable ASCII. */
    static void checkContentType(String type) {
        int semicolon = type.indexOf(';');
        checkMediaType((semicolon < 0 ? type : type.substring(0, semicolon)).strip(), false);
        if (!Chars.areWithin(' ', '~', type)) {
            throw new UnfitException("a media type of printable ASCII");
        }
    }
}
