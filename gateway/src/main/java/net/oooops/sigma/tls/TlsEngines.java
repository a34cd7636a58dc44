package net.oooops.sigma.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.TlsConfig.Version;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who encrypts: BoringSSL where its native library works, else the JDK. Found out, and said, when it is first asked for. */
final class TlsEngines {
    private static final Logger LOG = LoggerFactory.getLogger(TlsEngines.class);
    private static final SslProvider PROVIDER = choose();
    private static final List<String> TLS_1_3_CIPHERS =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    private TlsEngines() {}

    /** The one that is used. Any thread. */
    static SslProvider provider() {
        return PROVIDER;
    }

    /** Whether OCSP responses can be shown with certificates. The JDK has those that it asks for itself alone, in the middle of a handshake. */
    static boolean canStaple() {
        return PROVIDER != SslProvider.JDK && OpenSsl.isOcspSupported();
    }

    /** The versions that are spoken, from that one on. */
    static String[] protocols(Version least) {
        return least == Version.TLS_1_3
                ? new String[] {Version.TLS_1_3.text()}
                : new String[] {Version.TLS_1_3.text(), Version.TLS_1_2.text()};
    }

    /** The suites that may be agreed on: all of TLS 1.3, and those of TLS 1.2 where that is spoken. */
    static List<String> ciphers(Version least, List<String> ofTls12) {
        List<String> all = new ArrayList<>(TLS_1_3_CIPHERS);
        if (least != Version.TLS_1_3) {
            all.addAll(ofTls12);
        }
        return all;
    }

    /** What may be agreed on is spoken (RFC 7301). Servers see for themselves, before it comes to this, whether there is anything that both know. */
    static ApplicationProtocolConfig alpn(List<String> protocols) {
        return protocols.isEmpty()
                ? ApplicationProtocolConfig.DISABLED
                : new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        protocols);
    }

    /** Who has to have issued a certificate, as the JDK wants it. */
    static KeyStore storeOf(List<X509Certificate> authorities) throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new IllegalStateException("nothing was read", e);
        }
        for (X509Certificate authority : authorities) {
            store.setCertificateEntry("authority-" + store.size(), authority);
        }
        return store;
    }

    private static SslProvider choose() {
        if (OpenSsl.isAvailable()) {
            LOG.info("TLS by {}", OpenSsl.versionString());
            return SslProvider.OPENSSL_REFCNT;
        }
        LOG.info("TLS by the JDK: BoringSSL isn't available ({})", why(OpenSsl.unavailabilityCause()));
        // As BoringSSL: no second handshake on a connection. And sessions that it keeps itself: it can forget those, no
        // ticket.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
        System.setProperty("jdk.tls.server.enableSessionTicketExtension", "false");
        return SslProvider.JDK;
    }

    private static String why(Throwable cause) {
        Throwable first = cause;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return String.valueOf(first.getMessage());
    }
}
