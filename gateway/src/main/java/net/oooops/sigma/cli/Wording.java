package net.oooops.sigma.cli;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Protocol;

/** How numbers, addresses and keys are written in what commands print. */
final class Wording {
    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

    private Wording() {}

    /** {@code 1 route}, {@code 2 routes}. */
    static String count(long number, String word) {
        return number + " " + word + (number == 1 ? "" : "s");
    }

    /** As sigma.json writes it: {@code 30s}, {@code 250ms}. */
    static String duration(long nanos) {
        long millis = nanos / NANOS_PER_MILLI;
        return millis % MILLIS_PER_SECOND == 0 ? millis / MILLIS_PER_SECOND + "s" : millis + "ms";
    }

    /** What a Listener's URL begins with. */
    static String scheme(Listener listener) {
        return switch (listener) {
            case ListenerConfig http -> http.tls() == null ? "http://" : "https://";
            case TcpListenerConfig tcp ->
                tcp.tls() == null
                        ? word(tcp.protocol()) + "://"
                        : tcp.protocol() == Protocol.BOLT ? "bolts://" : "tls://";
            case BoltListenerConfig bolt -> bolt.tls() == null ? "bolt://" : "bolts://";
            case UdpListenerConfig _ -> "udp://";
        };
    }

    /** Which mode a Listener of Bolt is in, as a note behind its name; nothing for others. */
    static String mode(Listener listener) {
        return switch (listener) {
            case ListenerConfig _, UdpListenerConfig _ -> "";
            case TcpListenerConfig tcp -> tcp.protocol() == Protocol.BOLT ? "; relay" : "";
            case BoltListenerConfig _ -> "; route";
        };
    }

    /** What there is to know of a Listener's certificate, as a note behind its name; nothing where it comes from files. */
    static String certificate(Listener listener) {
        TlsConfig tls = listener instanceof ListenerConfig http ? http.tls() : null;
        if (tls == null) {
            return "";
        }
        return tls.isSelfSigned()
                ? "; a self-signed certificate, not for the public"
                : tls.acme() == null ? "" : "; certificates by ACME";
    }

    /** A host and a port, IPv6 in brackets. */
    static String authority(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /** The host of an authority, IPv6 without brackets. */
    static String host(String authority) {
        int colon = authority.lastIndexOf(':');
        boolean port = colon >= 0 && authority.indexOf(']', colon) < 0;
        String host = port ? authority.substring(0, colon) : authority;
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    /** How an upstream's node is chosen: {@code consistent-hash by cookie session, sticky}. */
    static String balancing(UpstreamConfig upstream) {
        HashConfig hash = upstream.hash();
        String by = hash == null ? "" : " by " + (word(hash.by()) + " " + hash.name()).strip();
        return word(upstream.ruleStrategy()) + by + (upstream.sticky() == null ? "" : ", sticky");
    }

    /** The word of sigma.json for a constant: {@code round-robin}. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
