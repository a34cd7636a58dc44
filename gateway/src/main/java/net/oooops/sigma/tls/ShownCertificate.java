package net.oooops.sigma.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.internal.tcnative.SSL;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ImmediateExecutor;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.security.interfaces.EdECPrivateKey;
import javax.net.ssl.SSLException;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.OcspAnswer;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import org.jspecify.annotations.Nullable;

/**
 * A certificate with what connections that it is shown on are encrypted with, and what an OCSP responder says of it. Any thread.
 *
 * <p>Its engines keep their context alive: {@link #release} may come while connections are open.
 */
final class ShownCertificate {
    /** So many the JDK remembers; BoringSSL remembers none. */
    private static final int JDK_SESSIONS_MAX = 4096;

    private final HostSet hosts;
    private final boolean writtenOut;
    private final KeyedCertificate certificate;
    private final SslContext context;
    private final boolean resumes;
    private final boolean staples;
    private volatile @Nullable OcspAnswer staple;

    private ShownCertificate(Shown shown, SslContext context, TlsConfig config, boolean resumes) {
        this.hosts = new HostSet(shown.hosts());
        this.writtenOut = !shown.written().isEmpty();
        this.certificate = shown.found();
        this.context = context;
        this.staples = staples(config);
        this.resumes = resumes;
    }

    /**
     * Makes one ready.
     *
     * @throws TlsException where it can't be used
     */
    static ShownCertificate of(TlsConfig config, Clients clients, Shown shown) {
        KeyedCertificate certificate = shown.found();
        try {
            boolean asks = clients.auth() != TlsConfig.ClientAuth.NONE;
            SslContextBuilder builder = builder(certificate)
                    .sslProvider(TlsEngines.provider())
                    .protocols(TlsEngines.protocols(config.minVersion()))
                    .ciphers(
                            TlsEngines.ciphers(config.minVersion(), config.ciphers()),
                            SupportedCipherSuiteFilter.INSTANCE)
                    .applicationProtocolConfig(TlsEngines.alpn(config.alpn()))
                    .sessionCacheSize(JDK_SESSIONS_MAX)
                    .clientAuth(clientAuth(clients));
            if (staples(config)) {
                builder.enableOcsp(true);
            }
            if (asks) {
                builder.trustManager(ClientTrust.of(clients.found()));
            }
            SslContext context = builder.build();
            if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
                sessions.setSessionCacheEnabled(false);
                if (!asks) {
                    // With keys of BoringSSL's own, which it changes every two days.
                    sessions.setTicketKeys();
                }
            }
            return new ShownCertificate(shown, context, config, !asks);
        } catch (SSLException | GeneralSecurityException e) {
            throw new TlsException(shown.files().certificates(), e);
        }
    }

    /** Whether what a responder says is shown with certificates: it is wanted, and who encrypts can. */
    static boolean staples(TlsConfig config) {
        return config.ocspStapling() && TlsEngines.canStaple();
    }

    private static SslContextBuilder builder(KeyedCertificate certificate) {
        return certificate.key() instanceof EdECPrivateKey && TlsEngines.provider() != SslProvider.JDK
                ? SslContextBuilder.forServer(new OneKey(() -> certificate))
                : SslContextBuilder.forServer(
                        certificate.key(), certificate.chain().toArray(new X509Certificate[0]));
    }

    private static ClientAuth clientAuth(Clients clients) {
        return switch (clients.auth()) {
            case NONE -> ClientAuth.NONE;
            case REQUEST -> ClientAuth.OPTIONAL;
            case REQUIRE -> ClientAuth.REQUIRE;
        };
    }

    /** What encrypts a connection. */
    SslHandler newHandler(ByteBufAllocator alloc) {
        SslHandler handler = context.newHandler(alloc, ImmediateExecutor.INSTANCE);
        if (!resumes && handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
            // Netty has each engine give out tickets, whatever its context says. Not to clients with certificates:
            // nobody
            // would look any more whether these were revoked.
            SSL.setOptions(engine.sslPointer(), SSL.SSL_OP_NO_TICKET);
        }
        OcspAnswer there = staple;
        if (there != null
                && there.isShowable(System.currentTimeMillis())
                && handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
            // BoringSSL shows it to those who ask for it.
            engine.setOcspResponse(there.encoded());
        }
        return handler;
    }

    /** Shows that with it from now on; null: nothing. */
    void staple(@Nullable OcspAnswer answer) {
        if (staples) {
            staple = answer;
        }
    }

    /** What is shown with it. */
    @Nullable OcspAnswer staple() {
        return staple;
    }

    /** A handshake is over. Where sessions aren't resumed, and the JDK encrypts, it forgets this one. */
    void onSecured(SslHandler handler) {
        if (!resumes && TlsEngines.provider() == SslProvider.JDK) {
            handler.engine().getSession().invalidate();
        }
    }

    /** Whether its hosts are written in sigma.json: else they are those that it is for. */
    boolean isWrittenOut() {
        return writtenOut;
    }

    /** For which hosts it is shown. */
    HostSet hosts() {
        return hosts;
    }

    /** What is shown. */
    KeyedCertificate certificate() {
        return certificate;
    }

    /** No further connection gets it. */
    void release() {
        ReferenceCountUtil.release(context);
    }
}
