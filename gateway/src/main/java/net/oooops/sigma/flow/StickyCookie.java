package net.oooops.sigma.flow;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import javax.crypto.SecretKey;
import net.oooops.sigma.balance.NodeTokens;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.config.StickyConfig.Secure;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.http1.HeadWriter;
import net.oooops.sigma.http1.Http1RequestHead;
import net.oooops.sigma.http1.RequestCookie;
import net.oooops.sigma.http1.Span;

/**
 * The cookie that keeps clients at the nodes of one Upstream: reads it, leaves it out of what nodes get, and has the fields that set
 * it ready.
 *
 * <p>Immutable, shared by all Workers; allocates nothing unless a plugin wrote the Cookie field anew.
 */
final class StickyCookie {
    /** No node. */
    static final int NONE = -1;

    private final RequestCookie cookie;
    private final NodeTokens tokens;
    private final byte[][] lines;
    private final byte[][] secureLines;

    private StickyCookie(StickyConfig sticky, NodeTokens tokens, int nodes) {
        this.cookie = new RequestCookie(sticky.name());
        this.tokens = tokens;
        this.lines = new byte[nodes][];
        this.secureLines = new byte[nodes][];
        for (int node = 0; node < nodes; node++) {
            lines[node] = line(sticky, tokens.text(node), sticky.secure() == Secure.ALWAYS);
            secureLines[node] = line(sticky, tokens.text(node), sticky.secure() != Secure.NEVER);
        }
    }

    /** @param otherwise the key where the configuration has none */
    static StickyCookie of(UpstreamConfig upstream, StickyConfig sticky, Supplier<SecretKey> otherwise) {
        SecretKey key = sticky.key() == null ? otherwise.get() : sticky.key();
        List<String> names =
                upstream.nodes().stream().map(NodeConfig::hostAndPort).toList();
        return new StickyCookie(sticky, new NodeTokens(key, upstream.id(), names), names.size());
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

    /** The node that the client's cookie names, or {@link #NONE}. Of several cookies, the first that names one counts. */
    int nodeOf(Http1RequestHead head) {
        long value = cookie.findReceived(head, Span.NONE);
        while (value != Span.NONE) {
            int node = tokens.nodeOf(head.received(), Span.start(value), Span.end(value));
            if (node >= 0) {
                return node;
            }
            value = cookie.findReceived(head, value);
        }
        return NONE;
    }

    /** Marks the client's fields that don't go on as they are. Before the fields are written. */
    void drop(Http1RequestHead head) {
        cookie.withhold(head);
    }

    /** Writes what else was in them. */
    void write(Http1RequestHead head, HeadWriter out) {
        cookie.writeOthers(head, out);
    }

    /**
     * The field that gives a client that node's cookie.
     *
     * @param https whether the client came over https
     */
    byte[] line(int node, boolean https) {
        return https ? secureLines[node] : lines[node];
    }
}
