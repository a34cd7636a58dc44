package net.oooops.sigma.proxy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.http.FieldValues;
import net.oooops.sigma.http.ForwardedElements;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.KnownField;
import org.jspecify.annotations.Nullable;

/**
 * What a Router does with the fields that say where a request came from: X-Forwarded-* and Forwarded (RFC 7239). What a
 * client says is deleted, unless it is a trusted proxy and the Router believes that kind; then it is extended, and the other
 * kind, where it has nothing to extend, is left out.
 *
 * <p>Immutable, shared by all Workers.
 */
public final class Forwarding {
    private static final byte[] FOR_LINE = ascii("X-Forwarded-For: ");
    private static final byte[] PROTO_LINE = ascii("X-Forwarded-Proto: http\r\n");
    private static final byte[] SECURE_PROTO_LINE = ascii("X-Forwarded-Proto: https\r\n");
    private static final byte[] PORT_LINE = ascii("X-Forwarded-Port: ");
    private static final byte[] HOST_LINE = ascii("X-Forwarded-Host: ");
    private static final byte[] FORWARDED_LINE = ascii("Forwarded: ");
    private static final byte[] FOR_PAIR = ascii("for=");
    private static final byte[] PROTO_PAIR = ascii(";proto=http");
    private static final byte[] SECURE_PROTO_PAIR = ascii(";proto=https");
    private static final byte[] HOST_PAIR = ascii(";host=\"");
    private static final byte[] QUOTE_CRLF = ascii("\"\r\n");
    private static final byte[] COMMA = ascii(", ");
    private static final byte[] CRLF = ascii("\r\n");

    private static final FieldName X_FORWARDED_FOR = FieldName.of("X-Forwarded-For");
    private static final FieldName X_FORWARDED_PROTO = FieldName.of("X-Forwarded-Proto");
    private static final FieldName X_FORWARDED_PORT = FieldName.of("X-Forwarded-Port");
    private static final FieldName X_FORWARDED_HOST = FieldName.of("X-Forwarded-Host");
    private static final FieldName FORWARDED = FieldName.of("Forwarded");

    /** Of what nobody asked for but Sigma itself: no fields say where it came from. */
    public static final Forwarding NOBODY = new Forwarding();

    private final boolean silent;
    private final boolean believesXForwarded;
    private final boolean believesForwarded;
    private final List<Cidr> trustedProxies;

    /** What {@code allow-forward} and {@code trusted-proxies} say. */
    public Forwarding(AllowForward allow, List<Cidr> trustedProxies) {
        this.silent = false;
        this.believesXForwarded = allow == AllowForward.X_FORWARD || allow == AllowForward.ALL;
        this.believesForwarded = allow == AllowForward.FORWARD || allow == AllowForward.ALL;
        this.trustedProxies = List.copyOf(trustedProxies);
    }

    private Forwarding() {
        this.silent = true;
        this.believesXForwarded = false;
        this.believesForwarded = false;
        this.trustedProxies = List.of();
    }

    /** Whether {@code address} is a trusted proxy and anything it says is believed. */
    public boolean trusts(IpAddress address) {
        return (believesXForwarded || believesForwarded) && isTrustedProxy(address);
    }

    boolean isTrustedProxy(IpAddress address) {
        for (Cidr block : trustedProxies) {
            if (block.contains(address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the client came over TLS: as its connection is or, where a trusted proxy says how the client reached it, as the last word of
     * X-Forwarded-Proto, or proto of Forwarded, has it.
     */
    boolean isSecure(HttpRequestHead head, Peer peer) {
        boolean overTls = peer.tls() != null;
        if (!peer.isTrustedBy(this)) {
            return overTls;
        }
        ForwardedHops said = new ForwardedHops(this);
        if (believesXForwarded) {
            said.lastOfXForwardedProto(head);
        }
        if (believesForwarded && !said.saysScheme()) {
            said.alongForwarded(head);
        }
        return said.saysScheme() ? said.isHttps() : overTls;
    }

    /**
     * Whether a trusted proxy's Forwarded, where it is believed, can be read in one way only. Where it can't, it may have been a client that
     * began what the proxy only extended: the proxy would be taken for the client then, and another server could read somebody else.
     */
    boolean isClear(HttpRequestHead head, Peer peer) {
        return !believesForwarded || !peer.isTrustedBy(this) || ForwardedElements.areWellFormed(head);
    }

    /** Takes out what a client says of whom it is, which only a trusted proxy may: neither plugins nor nodes see it. Before the plugins. */
    void hide(HttpRequestHead head, Peer peer) {
        if (!peer.isTrustedBy(this)) {
            head.hideConsumer();
        }
    }

    /** Marks the client's fields that don't go on as they are. Before the fields are written. */
    void drop(HttpRequestHead head, Peer peer) {
        boolean trusted = peer.isTrustedBy(this);
        head.drop(KnownField.FORWARDED);
        head.drop(KnownField.X_FORWARDED_FOR);
        if (!trusted || !believesXForwarded) {
            head.drop(KnownField.X_FORWARDED_PROTO);
            head.drop(KnownField.X_FORWARDED_HOST);
            head.drop(KnownField.X_FORWARDED_PORT);
            head.drop(KnownField.X_FORWARDED_PREFIX);
        }
    }

    /** Writes the fields that go to the node, but those that a plugin has written: they are there in the place of Sigma's. */
    void write(HttpRequestHead head, Peer peer, HeadWriter out) {
        if (silent) {
            return;
        }
        out.append(peer.tlsFields());
        boolean trusted = peer.isTrustedBy(this);
        if (!trusted && head.authorityStart() < head.authorityEnd() && !isWrittenByPlugin(head)) {
            out.append(peer.beforeHost());
            out.append(head.received(), head.authorityStart(), head.authorityEnd());
            out.append(peer.betweenHosts());
            out.append(head.received(), head.authorityStart(), head.authorityEnd());
            out.append(QUOTE_CRLF);
            return;
        }
        boolean goesOnX = trusted && believesXForwarded && FieldValues.has(head, KnownField.X_FORWARDED_FOR);
        boolean goesOn = trusted && believesForwarded && FieldValues.has(head, KnownField.FORWARDED);
        // One kind begun anew beside the other's history would tell another story.
        if (goesOnX || !goesOn) {
            writeXForwarded(head, peer, trusted && believesXForwarded, out);
        }
        if (goesOn || !goesOnX) {
            writeForwarded(head, peer, goesOn, out);
        }
    }

    /** Whether a plugin has written any of them. */
    private static boolean isWrittenByPlugin(HttpRequestHead head) {
        return head.hasAdded()
                && (head.hasAdded(X_FORWARDED_FOR)
                        || head.hasAdded(X_FORWARDED_PROTO)
                        || head.hasAdded(X_FORWARDED_PORT)
                        || head.hasAdded(X_FORWARDED_HOST)
                        || head.hasAdded(FORWARDED));
    }

    private static void writeXForwarded(HttpRequestHead head, Peer peer, boolean believed, HeadWriter out) {
        if (!head.hasAdded(X_FORWARDED_FOR)) {
            out.append(FOR_LINE);
            if (believed && FieldValues.join(head, KnownField.X_FORWARDED_FOR, out)) {
                out.append(COMMA);
            }
            out.append(peer.textBytes());
            out.append(CRLF);
        }
        if (isWanted(head, believed, KnownField.X_FORWARDED_PROTO, X_FORWARDED_PROTO)) {
            out.append(peer.tls() == null ? PROTO_LINE : SECURE_PROTO_LINE);
        }
        if (isWanted(head, believed, KnownField.X_FORWARDED_PORT, X_FORWARDED_PORT)) {
            out.append(PORT_LINE);
            out.append(peer.portBytes());
            out.append(CRLF);
        }
        boolean hosted = head.authorityStart() < head.authorityEnd();
        if (hosted && isWanted(head, believed, KnownField.X_FORWARDED_HOST, X_FORWARDED_HOST)) {
            out.append(HOST_LINE);
            out.append(head.received(), head.authorityStart(), head.authorityEnd());
            out.append(CRLF);
        }
    }

    /** Whether neither a trusted proxy nor a plugin has said it. */
    private static boolean isWanted(HttpRequestHead head, boolean believed, int known, FieldName name) {
        return !head.hasAdded(name) && (!believed || !FieldValues.has(head, known));
    }

    private static void writeForwarded(HttpRequestHead head, Peer peer, boolean believed, HeadWriter out) {
        if (head.hasAdded(FORWARDED)) {
            return;
        }
        out.append(FORWARDED_LINE);
        if (believed && FieldValues.join(head, KnownField.FORWARDED, out)) {
            out.append(COMMA);
        }
        out.append(FOR_PAIR);
        out.append(peer.nodeBytes());
        out.append(peer.tls() == null ? PROTO_PAIR : SECURE_PROTO_PAIR);
        if (head.authorityStart() == head.authorityEnd()) {
            out.append(CRLF);
            return;
        }
        out.append(HOST_PAIR);
        out.append(head.received(), head.authorityStart(), head.authorityEnd());
        out.append(QUOTE_CRLF);
    }

    /**
     * The client's address: the peer's, or from a trusted proxy the rightmost of the believed addresses that is no trusted
     * proxy itself; as they were received, so it is the same whatever plugins have made of the fields. Allocates only where the peer is a
     * trusted proxy.
     */
    IpAddress clientIp(HttpRequestHead head, Peer peer) {
        IpAddress told = peer.isTrustedBy(this) ? told(head) : null;
        return told == null ? peer.address() : told;
    }

    private @Nullable IpAddress told(HttpRequestHead head) {
        ForwardedHops hops = new ForwardedHops(this);
        if (believesXForwarded && FieldValues.next(head, KnownField.X_FORWARDED_FOR, -1) >= 0) {
            return hops.alongXForwardedFor(head).client();
        }
        return believesForwarded ? hops.alongForwarded(head).client() : null;
    }

    /** What {@link PickContext#sourceOf} makes of that address. Allocates only where the peer is a trusted proxy. */
    long source(HttpRequestHead head, Peer peer) {
        return peer.isTrustedBy(this) ? PickContext.sourceOf(clientIp(head, peer)) : peer.source();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
