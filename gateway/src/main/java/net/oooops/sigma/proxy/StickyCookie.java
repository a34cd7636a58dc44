package net.oooops.sigma.proxy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import javax.crypto.SecretKey;
import net.oooops.sigma.balance.NodeTokens;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.config.StickyConfig.Secure;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.RequestCookie;
import net.oooops.sigma.http.Span;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;

/**
 * The cookie that keeps clients at the nodes of one Upstream: reads it, leaves it out of what nodes get, and has the fields that set
 * it ready.
 *
 * <p>Shared by all Workers; allocates nothing unless a plugin wrote the Cookie field anew, or nodes have changed.
 */
final class StickyCookie {
    /** No node. */
    static final int NONE = -1;

    private static final byte[] EMPTY = {};

    private final Upstream upstream;
    private final StickyConfig sticky;
    private final SecretKey key;
    private final RequestCookie cookie;
    private volatile Named named;

    /** What cookies of those nodes look like. */
    private static final class Named {
        private final List<Node> nodes;
        private final NodeTokens tokens;
        private final byte[][] lines;
        private final byte[][] secureLines;

        private Named(List<Node> nodes, NodeTokens tokens, byte[][] lines, byte[][] secureLines) {
            this.nodes = nodes;
            this.tokens = tokens;
            this.lines = lines;
            this.secureLines = secureLines;
        }
    }

    private StickyCookie(Upstream upstream, StickyConfig sticky, SecretKey key) {
        this.upstream = upstream;
        this.sticky = sticky;
        this.key = key;
        this.cookie = new RequestCookie(sticky.name());
        this.named = named(upstream.nodes());
    }

    /** @param otherwise the key where the configuration has none */
    static StickyCookie of(Upstream upstream, StickyConfig sticky, Supplier<SecretKey> otherwise) {
        SecretKey key = sticky.key() == null ? otherwise.get() : sticky.key();
        return new StickyCookie(upstream, sticky, key);
    }

    private Named named(List<Node> nodes) {
        List<String> names =
                nodes.stream().map(node -> node.config().hostAndPort()).toList();
        NodeTokens tokens = new NodeTokens(key, upstream.id(), names);
        byte[][] lines = new byte[names.size()][];
        byte[][] secureLines = new byte[names.size()][];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = line(sticky, tokens.text(i), sticky.secure() == Secure.ALWAYS);
            secureLines[i] = line(sticky, tokens.text(i), sticky.secure() != Secure.NEVER);
        }
        return new Named(nodes, tokens, lines, secureLines);
    }

    /** For the nodes that there are: several Workers may find at once that they have changed, and work out the same. */
    @SuppressWarnings("ReferenceEquality") // Another list is there only where nodes have changed.
    private Named named() {
        Named now = named;
        List<Node> nodes = upstream.nodes();
        if (now.nodes != nodes) {
            now = named(nodes);
            named = now;
        }
        return now;
    }

    /** RFC 6265 section 4.1.1. */
    private static byte[] line(StickyConfig sticky, String token, boolean secure) {
        StringBuilder line = new StringBuilder("Set-Cookie: ");
        line.append(sticky.name()).append('=').append(token);
        line.append("; Path=").append(sticky.path());
        if (sticky.maxAgeSeconds() != StickyConfig.SESSION) {
            line.append("; Max-Age=").append(sticky.maxAgeSeconds());
        }
        line.append(secure ? "; Secure" : "").append(sticky.httpOnly() ? "; HttpOnly" : "");
        String sameSite = sticky.sameSite().name();
        line.append("; SameSite=").append(sameSite.charAt(0));
        line.append(sameSite.substring(1).toLowerCase(Locale.ROOT)).append("\r\n");
        return line.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** The number of the node that the client's cookie names, or {@link #NONE}. Of several cookies, the first that names one counts. */
    int nodeOf(HttpRequestHead head) {
        Named now = named();
        long value = cookie.findReceived(head, Span.NONE);
        while (value != Span.NONE) {
            int place = now.tokens.nodeOf(head.received(), Span.start(value), Span.end(value));
            if (place >= 0) {
                return now.nodes.get(place).number();
            }
            value = cookie.findReceived(head, value);
        }
        return NONE;
    }

    /** Marks the client's fields that don't go on as they are. Before the fields are written. */
    void drop(HttpRequestHead head) {
        cookie.withhold(head);
    }

    /** Writes what else was in them. */
    void write(HttpRequestHead head, HeadWriter out) {
        cookie.writeOthers(head, out);
    }

    /**
     * The field that gives a client that node's cookie; empty where the node has gone.
     *
     * @param https whether the client came over https
     */
    byte[] line(Node node, boolean https) {
        Named now = named();
        for (int place = 0; place < now.lines.length; place++) {
            if (now.nodes.get(place) == node) {
                return https ? now.secureLines[place] : now.lines[place];
            }
        }
        return EMPTY;
    }
}
