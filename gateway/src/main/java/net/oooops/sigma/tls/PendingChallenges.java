package net.oooops.sigma.tls;

import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.config.TlsConfig.Version;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway shows to an issuer of certificates that is finding out whether a host is its own: a page over plain HTTP (RFC 8555 section 8.3), or
 * a certificate in a TLS handshake (RFC 8737). Each only while the issuer is expected, and for that host; where nobody is, a look is the read of a null.
 *
 * <p>Shared by all Listeners and Workers; any thread looks, one at a time changes it.
 */
public final class PendingChallenges {
    /** What an issuer offers, and nothing beside it (RFC 8737 section 3). */
    private static final List<String> PROTOCOLS = List.of("acme-tls/1");

    private static final Ascii PAGES = Ascii.of("/.well-known/acme-challenge/");

    private record Page(String host, Outcome answer) {}

    private final Retired<ShownCertificate> retired = new Retired<>(ShownCertificate::release);
    /** By the path of each. */
    private volatile @Nullable Map<String, Page> pages;
    /** By host. */
    private volatile @Nullable Map<String, ShownCertificate> certificates;

    /** Something that is shown until this is closed. */
    public interface Pending extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Shows a page from now on.
     *
     * @param token the last part of its path
     * @param host that it has to be asked for
     */
    public Pending page(String token, String host, String content) {
        String path = PAGES + token;
        Page page = new Page(host, Outcome.respond(Response.text(200, content)));
        pages = with(pages, path, page);
        return () -> pages = without(pages, path);
    }

    /**
     * Shows a certificate from now on, to whoever asks for that host as an issuer does.
     *
     * @throws TlsException where it can't be shown
     */
    public Pending certificate(String host, KeyedCertificate certificate) {
        TlsConfig config = new TlsConfig(
                List.of(),
                Version.TLS_1_2,
                TlsConfig.CIPHERS_DEFAULT,
                PROTOCOLS,
                false,
                Clients.UNASKED,
                false,
                null,
                "");
        Shown shown = new Shown(CertificateFiles.SELF_SIGNED, certificate, List.of(host));
        ShownCertificate made = ShownCertificate.of(config, Clients.UNASKED, shown);
        certificates = with(certificates, host, made);
        return () -> {
            certificates = without(certificates, host);
            retired.add(made);
        };
    }

    private static <V> Map<String, V> with(@Nullable Map<String, V> before, String key, V value) {
        Map<String, V> now = before == null ? new HashMap<>() : new HashMap<>(before);
        now.put(key, value);
        return now;
    }

    private static <V> @Nullable Map<String, V> without(@Nullable Map<String, V> before, String key) {
        if (before == null) {
            return null;
        }
        Map<String, V> now = new HashMap<>(before);
        now.remove(key);
        return now.isEmpty() ? null : now;
    }

    /**
     * The certificate for an issuer.
     *
     * @param hello what a client says first, whole; isn't moved
     * @return null where it is anybody else
     */
    @Nullable ShownCertificate certificateFor(ByteBuf hello) {
        Map<String, ShownCertificate> now = certificates;
        if (now == null) {
            return null;
        }
        ClientHello read = ClientHello.of(hello);
        return read == null || read.host() == null || !read.protocols().equals(PROTOCOLS) ? null : now.get(read.host());
    }

    /** What answers issuers on a Listener of plain HTTP, before all other plugins; all other requests go on. */
    public Plugin pagesPlugin() {
        return new Pages();
    }

    private final class Pages implements Plugin {
        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }

        @Override
        public Outcome onRequest(Exchange exchange) {
            Map<String, Page> now = pages;
            if (now == null || !exchange.request().pathStartsWith(PAGES)) {
                return Outcome.CONTINUE;
            }
            Page page = now.get(exchange.request().path());
            return page == null
                            || !page.host()
                                    .equalsIgnoreCase(host(exchange.request().authority()))
                    ? Outcome.CONTINUE
                    : page.answer();
        }

        /** Names only: no issuer asks for an address here. */
        private static String host(String authority) {
            int colon = authority.indexOf(':');
            return colon < 0 ? authority : authority.substring(0, colon);
        }
    }

    /** Gives all certificates back; nobody is expected any more. */
    public void close() {
        retired.close();
    }
}
