package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * Who stands at the other end of a client's connection, in the forms that forwarding fields and logs want: made once for a
 * connection, on its event loop.
 */
final class Peer {
    private static final byte[] NONE = {};

    private final String text;
    private final byte[] textBytes;
    private final byte[] octets;
    private final IpAddress address;
    private final @Nullable TlsSession tls;
    /** {@code X-Forwarded-For} to {@code X-Forwarded-Host: } for a client that nothing is believed of. */
    private final byte[] beforeHost;
    /** From the end of that to {@code Forwarded: …;host="}. */
    private final byte[] betweenHosts;

    private final byte[] port;
    private final byte[] tlsFields;

    private @Nullable Forwarding trustAskedBy;
    private boolean trusted;

    /** The peer of a client's connection. */
    static Peer of(Channel channel, @Nullable TlsSession tls) {
        return new Peer((InetSocketAddress) channel.remoteAddress(), (InetSocketAddress) channel.localAddress(), tls);
    }

    Peer(InetSocketAddress remote, InetSocketAddress local, @Nullable TlsSession tls) {
        this.tls = tls;
        this.octets = remote.getAddress().getAddress();
        this.address = IpAddress.of(octets);
        this.text = address.text();
        this.textBytes = ascii(text);
        this.beforeHost = ascii("X-Forwarded-For: " + text + "\r\nX-Forwarded-Proto: " + scheme()
                + "\r\nX-Forwarded-Port: " + local.getPort() + "\r\nX-Forwarded-Host: ");
        this.betweenHosts = ascii("\r\nForwarded: for=" + node() + ";proto=" + scheme() + ";host=\"");
        this.port = ascii(Integer.toString(local.getPort()));
        this.tlsFields = tls == null || tls.clientChain().isEmpty() ? NONE : fields(tls.clientChain());
    }

    /** What was agreed on where its connection is encrypted, else null. */
    @Nullable TlsSession tls() {
        return tls;
    }

    /** The lines of the certificate that the client has shown, as RFC 9440 has them; empty where it has shown none. */
    byte[] tlsFields() {
        return tlsFields;
    }

    private static byte[] fields(List<X509Certificate> chain) {
        StringBuilder fields = new StringBuilder("Client-Cert: ");
        try {
            for (int i = 0; i < chain.size(); i++) {
                String before = i == 0 ? "" : i == 1 ? "\r\nClient-Cert-Chain: " : ", ";
                String octets = Base64.getEncoder().encodeToString(chain.get(i).getEncoded());
                fields.append(before).append(':').append(octets).append(':');
            }
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that was read", e);
        }
        return ascii(fields.append("\r\n").toString());
    }

    private String scheme() {
        return tls == null ? "http" : "https";
    }

    private String node() {
        return address.ipv6() ? "\"[" + text + "]\"" : text;
    }

    String text() {
        return text;
    }

    IpAddress address() {
        return address;
    }

    /** The address in network order, 4 or 16 bytes. */
    byte[] octets() {
        return octets;
    }

    /** The address as balancers have it. */
    long source() {
        return PickContext.sourceOf(address);
    }

    byte[] textBytes() {
        return textBytes;
    }

    /** As RFC 7239 section 6 writes it: IPv6 in brackets and quotes. */
    byte[] nodeBytes() {
        return ascii(node());
    }

    byte[] portBytes() {
        return port;
    }

    byte[] beforeHost() {
        return beforeHost;
    }

    byte[] betweenHosts() {
        return betweenHosts;
    }

    /** Whether {@code forwarding} trusts this peer; asked once for each connection and Router that follow one another. */
    boolean isTrustedBy(Forwarding forwarding) {
        if (trustAskedBy != forwarding) {
            trusted = forwarding.trusts(address);
            trustAskedBy = forwarding;
        }
        return trusted;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
