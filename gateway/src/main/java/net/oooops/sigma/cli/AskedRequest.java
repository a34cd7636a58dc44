package net.oooops.sigma.cli;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The request that {@code sigma explain} is asked about.
 *
 * @param method as typed
 * @param secure whether its URL begins with https
 * @param authority host and port, as a client would put them into Host
 * @param port that the client connects to
 * @param target path and query
 * @param fields header lines, {@code Name: value}
 */
record AskedRequest(String method, boolean secure, String authority, int port, String target, List<String> fields) {
    private static final String HOST = "host:";
    private static final String SCHEME = "http://";
    private static final String SECURE_SCHEME = "https://";
    private static final int PORT_DEFAULT = 80;
    private static final int SECURE_PORT_DEFAULT = 443;

    /** Takes what was typed apart. What is wrong with method, host, path or fields is the gateway's to say. */
    static AskedRequest of(String method, String url, List<String> fields) throws Failure {
        boolean secure = url.regionMatches(true, 0, SECURE_SCHEME, 0, SECURE_SCHEME.length());
        String scheme = secure ? SECURE_SCHEME : SCHEME;
        if (!url.regionMatches(true, 0, scheme, 0, scheme.length())) {
            throw usage("URL: " + url + " (expected: http://host[:port]/path or https://host[:port]/path)");
        }
        for (String field : fields) {
            if (field.indexOf(':') <= 0 || field.indexOf('\n') >= 0 || field.indexOf('\r') >= 0) {
                throw usage("-H: " + field + " (expected: 'Name: value')");
            }
        }
        String rest = url.substring(scheme.length());
        int end = firstOf(rest);
        String authority = rest.substring(0, end);
        int fragment = rest.indexOf('#', end);
        String target = rest.substring(end, fragment < 0 ? rest.length() : fragment);
        int port = port(authority, secure ? SECURE_PORT_DEFAULT : PORT_DEFAULT, url);
        return new AskedRequest(
                method, secure, authority, port, target.startsWith("/") ? target : "/" + target, fields);
    }

    private static int firstOf(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            if ("/?#".indexOf(rest.charAt(i)) >= 0) {
                return i;
            }
        }
        return rest.length();
    }

    private static int port(String authority, int otherwise, String url) throws Failure {
        int colon = authority.lastIndexOf(':');
        if (colon < 0 || authority.endsWith("]") || colon == authority.length() - 1) {
            return otherwise;
        }
        try {
            return Integer.parseInt(authority.substring(colon + 1));
        } catch (NumberFormatException _) {
            throw usage("URL: " + url + " (expected: a number after the host's colon)");
        }
    }

    private static Failure usage(String text) {
        return new Failure(Exit.USAGE, text);
    }

    /** The head that a client would send. A Host among the fields takes the place of the URL's, and is what a CONNECT asks for. */
    byte[] head() {
        String host = fields.stream()
                .filter(field -> field.regionMatches(true, 0, HOST, 0, HOST.length()))
                .map(field -> field.substring(HOST.length()).strip())
                .findFirst()
                .orElse("");
        String asked = method.equals("CONNECT") ? (host.isEmpty() ? authority : host) : target;
        StringBuilder head = new StringBuilder(method).append(' ').append(asked).append(" HTTP/1.1\r\n");
        if (fields.stream().noneMatch(field -> field.regionMatches(true, 0, HOST, 0, HOST.length()))) {
            head.append("Host: ").append(authority).append("\r\n");
        }
        fields.forEach(field -> head.append(field).append("\r\n"));
        return head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
    }
}
