package net.oooops.sigma.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ImmediateExecutor;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.NodeTlsConfig;
import org.jspecify.annotations.Nullable;

/**
 * How TLS is spoken to the nodes of one Upstream, with sessions that are resumed. Shared by all Workers; any thread.
 *
 * <p>A certificate that is renewed is shown in handshakes that begin after that; connections that are open aren't touched.
 */
public final class NodeTls {
    /** So many sessions are remembered. */
    private static final int SESSIONS_MAX = 4096;

    private final NodeTlsConfig config;
    private final NodeTrust trust;
    private final Retired<Contexts> retired = new Retired<>(Contexts::release);
    private final AtomicReference<Contexts> contexts;
    /** Who may have issued nodes' certificates, as last read. */
    private volatile List<X509Certificate> authorities;

    /**
     * What connections are encrypted with.
     *
     * @param http11 the same, which offers HTTP/1.1 alone; null where that isn't one of several to be agreed on
     * @param shown the certificate that nodes which ask for one are shown, or null
     * @param closed whether it may not be used any more
     */
    private record Contexts(
            SslContext context,
            @Nullable SslContext http11,
            @Nullable KeyedCertificate shown,
            boolean closed) {
        void release() {
            ReferenceCountUtil.release(context);
            if (http11 != null) {
                ReferenceCountUtil.release(http11);
            }
        }
    }

    /**
     * Makes it ready.
     *
     * @throws TlsException where the certificate that nodes are shown can't be used
     */
    public NodeTls(NodeTlsConfig config) {
        this.config = config;
        this.authorities = config.trust().authorities();
        try {
            this.trust = NodeTrust.of(config.trust());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK's own trust", e);
        }
        NodeTlsConfig.Shown written = config.shown();
        KeyedCertificate shown = written == null ? null : written.found();
        this.contexts = new AtomicReference<>(contexts(shown));
    }

    private Contexts contexts(@Nullable KeyedCertificate shown) {
        boolean chosen = config.alpn().size() > 1 && config.alpn().contains(TlsSession.HTTP11);
        SslContext http11 = chosen ? context(shown, List.of(TlsSession.HTTP11)) : null;
        return new Contexts(context(shown, config.alpn()), http11, shown, false);
    }

    private SslContext context(@Nullable KeyedCertificate shown, List<String> alpn) {
        NodeTlsConfig.Shown written = config.shown();
        try {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(TlsEngines.provider())
                    .protocols(protocols())
                    .ciphers(ciphers(), SupportedCipherSuiteFilter.INSTANCE)
                    .applicationProtocolConfig(TlsEngines.alpn(alpn))
                    .sessionCacheSize(SESSIONS_MAX)
                    .trustManager(trust)
                    .endpointIdentificationAlgorithm(config.trust().insecure() ? null : "HTTPS");
            if (shown != null) {
                builder.keyManager(new OneKey(() -> shown));
            }
            return builder.build();
        } catch (SSLException e) {
            Path file = written == null ? Path.of("") : written.files().certificates();
            throw new TlsException(file, e);
        }
    }

    /** What it was made from. */
    public NodeTlsConfig config() {
        return config;
    }

    /**
     * What encrypts a connection to a node.
     *
     * @param host of the node
     * @param http11Only whether it is offered HTTP/1.1 alone, where it is offered that
     */
    SslHandler newHandler(ByteBufAllocator alloc, String host, int port, boolean http11Only) {
        Contexts now = contexts.get();
        SslContext context = http11Only ? Objects.requireNonNullElse(now.http11(), now.context()) : now.context();
        return context.newHandler(alloc, serverName(host), port, ImmediateExecutor.INSTANCE);
    }

    /** The host that a node of that one is asked for, and that its certificate has to be for. */
    public String serverName(String host) {
        return config.serverName() == null ? host : config.serverName();
    }

    /** The versions that are spoken. */
    public String[] protocols() {
        return TlsEngines.protocols(config.minVersion());
    }

    /** The suites that may be agreed on, by their IANA names. */
    public List<String> ciphers() {
        return TlsEngines.ciphers(config.minVersion(), config.ciphers());
    }

    /** Which certificates of nodes are trusted. */
    public NodeTrust trust() {
        return trust;
    }

    /** Says which certificate nodes are shown; null where they are shown none. */
    public @Nullable X509ExtendedKeyManager keys() {
        NodeTlsConfig.Shown written = config.shown();
        return written == null ? null : new OneKey(() -> shown(written));
    }

    private KeyedCertificate shown(NodeTlsConfig.Shown written) {
        return Objects.requireNonNullElse(contexts.get().shown(), written.found());
    }

    /** What is renewed when its files change: the certificate that nodes are shown, and who may have issued theirs. */
    public List<Renewable> renewables() {
        List<Renewable> all = new ArrayList<>();
        NodeTlsConfig.Shown written = config.shown();
        if (written != null) {
            all.add(new OfCertificate(written));
        }
        Path authorities = config.trust().file();
        if (authorities != null) {
            all.add(new OfAuthorities(authorities));
        }
        return all;
    }

    /** Has sessions of its own: those of before are the old certificate's, or were verified by others. */
    private void replace(@Nullable KeyedCertificate shown) {
        Contexts next = contexts(shown);
        Contexts before = contexts.getAndUpdate(those -> those.closed() ? those : next);
        if (before.closed()) {
            next.release();
        } else {
            retired.add(before);
        }
    }

    /** No handshake begins any more. Connections that are open stay. */
    public void close() {
        Contexts before =
                contexts.getAndUpdate(those -> new Contexts(those.context(), those.http11(), those.shown(), true));
        if (!before.closed()) {
            before.release();
            retired.close();
        }
    }

    /** Whether no handshake begins any more. */
    public boolean isClosed() {
        return contexts.get().closed();
    }

    /** The certificate that nodes are shown. */
    private final class OfCertificate implements Renewable {
        private final NodeTlsConfig.Shown written;

        private OfCertificate(NodeTlsConfig.Shown written) {
            this.written = written;
        }

        @Override
        public List<Path> files() {
            return written.files().all();
        }

        @Override
        public Path file() {
            return written.files().certificates();
        }

        @Override
        public String what() {
            return "certificate";
        }

        @Override
        public Instant notAfter() {
            return shown(written).notAfter();
        }

        @Override
        public boolean renew() {
            KeyedCertificate found = TlsException.read(written.files());
            boolean other = !found.chain().equals(shown(written).chain());
            if (other) {
                replace(found);
            }
            return other;
        }
    }

    /** Who may have issued nodes' certificates. */
    private final class OfAuthorities implements Renewable {
        private final Path file;

        private OfAuthorities(Path file) {
            this.file = file;
        }

        @Override
        public List<Path> files() {
            return List.of(file);
        }

        @Override
        public Path file() {
            return file;
        }

        @Override
        public String what() {
            return "list of authorities";
        }

        @Override
        public Instant notAfter() {
            return Instant.MAX;
        }

        @Override
        public boolean renew() {
            try {
                List<X509Certificate> found = ClientFiles.authorities(file);
                boolean other = !found.equals(authorities);
                if (other) {
                    trust.renew(found);
                    replace(contexts.get().shown());
                    authorities = found;
                }
                return other;
            } catch (CertificateFault e) {
                throw new TlsException(file, e);
            } catch (GeneralSecurityException e) {
                throw new TlsException(file, e);
            }
        }
    }
}
