package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Tls;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.PemFile;
import net.oooops.sigma.config.TlsConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Whom {@code sigma explain} takes a request to be from: as its options say, and where they say nothing as the URL has it.
 *
 * @param address where it is
 * @param handshake what is agreed on with it, where it comes over https
 * @param consumer whom a plugin finds; null: as plugins find by themselves
 * @param said the options that were given
 */
record AskedClient(
        IpAddress address, Handshake handshake, @Nullable Consumer consumer, List<String> said) {
    /** Whoever asks is here, unless the question says otherwise. */
    static final AskedClient HERE = new AskedClient(
            IpAddress.of(new byte[] {127, 0, 0, 1}),
            new Handshake(TlsConfig.Version.TLS_1_3.text(), null, null, List.of()),
            null,
            List.of());

    private static final String FROM = "from";
    private static final String TLS = "tls";
    private static final String ALPN = "alpn";
    private static final String SNI = "sni";
    private static final String CERTIFICATE = "client-certificate";
    private static final String CONSUMER = "consumer";
    private static final String PLAN = "plan";
    /** Who is meant where a plan alone is said. */
    private static final String ANY = "any";

    private static final Pattern PLAN_SYNTAX = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final List<String> OF_HANDSHAKES = List.of(TLS, ALPN, SNI, CERTIFICATE);

    private static final int CERTIFICATE_BYTES_MAX = 1 << 20;

    /** RFC 7301 section 3.1: so long a name may be. */
    private static final int PROTOCOL_CHARS_MAX = 255;

    /**
     * What was agreed on with it.
     *
     * @param version of TLS
     * @param protocol that is spoken (ALPN); null: none was agreed on
     * @param host that it asked for (SNI), in lower case; null: none
     * @param chain the certificates that it has shown, its own first
     */
    record Handshake(
            String version,
            @Nullable String protocol,
            @Nullable String host,
            List<X509Certificate> chain) {
        /** As plugins see it. */
        Tls forPlugins() {
            return new Tls(version, protocol, host, chain);
        }
    }

    /** Has the command take them. */
    static void options(CommandSpec spec) {
        spec.addOption(Help.option(FROM, "IP")
                .type(String.class)
                .description("The address that the request comes from. Without: 127.0.0.1.")
                .build());
        spec.addOption(Help.option(TLS, "VERSION")
                .type(String.class)
                .description("With https: the version that is agreed on, TLSv1.2 or TLSv1.3. Without: TLSv1.3.")
                .build());
        spec.addOption(Help.option(ALPN, "PROTOCOL")
                .type(String.class)
                .description("With https: the protocol that the client offers (ALPN), such as h2. Without: none.")
                .build());
        spec.addOption(Help.option(SNI, "HOST")
                .type(String.class)
                .description("With https: the host that the client asks for in the handshake. Without: the URL's.")
                .build());
        spec.addOption(Help.option(CERTIFICATE, "FILE")
                .type(Path.class)
                .description("With https: the certificate that the client shows, in PEM; taken as verified."
                        + " Without: none.")
                .build());
        spec.addOption(Help.option(CONSUMER, "ID")
                .type(String.class)
                .description("Whom plugins that authenticate find: they aren't run. Without: as they find.")
                .build());
        spec.addOption(Help.option(PLAN, "NAME")
                .type(String.class)
                .description("The plan of whom they find, by which limits differ. Without: what sigma.json says.")
                .build());
    }

    /**
     * What the words say.
     *
     * @param authority host and port of the URL
     */
    static AskedClient of(ParseResult words, String authority) throws Failure {
        List<String> said = new ArrayList<>();
        for (String name : List.of(FROM, TLS, ALPN, SNI, CERTIFICATE, CONSUMER, PLAN)) {
            if (words.hasMatchedOption("-" + name)) {
                said.add(name);
            }
        }
        Handshake handshake = new Handshake(version(words), protocol(words), host(words, authority), chain(words));
        return new AskedClient(address(words), handshake, consumer(words), List.copyOf(said));
    }

    private static IpAddress address(ParseResult words) throws Failure {
        String said = value(words, FROM);
        IpAddress address = said == null ? HERE.address : IpAddress.parse(said);
        if (address == null) {
            throw unfit(FROM, said, "an IP address");
        }
        return address;
    }

    private static String version(ParseResult words) throws Failure {
        String said = value(words, TLS);
        if (said == null) {
            return HERE.handshake.version;
        }
        for (TlsConfig.Version each : TlsConfig.Version.values()) {
            if (each.text().equals(said)) {
                return said;
            }
        }
        throw unfit(TLS, said, "TLSv1.2 or TLSv1.3");
    }

    private static @Nullable String protocol(ParseResult words) throws Failure {
        String said = value(words, ALPN);
        if (said == null) {
            return null;
        }
        boolean fits = !said.isEmpty() && said.length() <= PROTOCOL_CHARS_MAX && isVisible(said);
        if (!fits) {
            throw unfit(ALPN, said, "the name of a protocol, such as h2 or http/1.1");
        }
        return said;
    }

    private static boolean isVisible(String text) {
        return text.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    /** A client asks for names alone, not for addresses (RFC 6066 section 3). */
    private static @Nullable String host(ParseResult words, String authority) throws Failure {
        String said = value(words, SNI);
        String host = said == null ? Wording.host(authority) : said;
        boolean isName = !host.isEmpty() && isVisible(host) && host.indexOf(':') < 0 && IpAddress.parse(host) == null;
        if (said != null && !isName) {
            throw unfit(SNI, said, "the name of a host");
        }
        return isName ? host.toLowerCase(Locale.ROOT) : null;
    }

    private static List<X509Certificate> chain(ParseResult words) throws Failure {
        Path file = words.matchedOptionValue("-" + CERTIFICATE, null);
        if (file == null) {
            return List.of();
        }
        Setup.requireFile("--" + CERTIFICATE, file);
        List<X509Certificate> chain;
        try (FilesOfStart reading = FilesOfStart.told("the explanation")) {
            byte[] pem = reading.bytes(file, CERTIFICATE_BYTES_MAX);
            if (pem.length > CERTIFICATE_BYTES_MAX) {
                throw unfit(CERTIFICATE, file + ", a longer file", "at most " + CERTIFICATE_BYTES_MAX + " bytes");
            }
            chain = PemFile.certificates(pem);
        } catch (CertificateFault e) {
            throw unfit(CERTIFICATE, file + ", " + e.found(), e.expected());
        } catch (IOException e) {
            throw unfit(CERTIFICATE, file + ": " + e, "a file that can be read");
        }
        if (chain.isEmpty()) {
            throw unfit(CERTIFICATE, file + ", in which there is none", "a certificate in PEM");
        }
        return chain;
    }

    private static @Nullable Consumer consumer(ParseResult words) throws Failure {
        String said = value(words, CONSUMER);
        String plan = value(words, PLAN);
        if (plan != null && !PLAN_SYNTAX.matcher(plan).matches()) {
            throw unfit(PLAN, plan, "1 to 64 letters, digits and characters of \"._-\"");
        }
        try {
            if (plan != null) {
                return ConsumerFields.of(said == null ? ANY : said, plan);
            }
            return said == null ? null : Consumer.of(said);
        } catch (IllegalArgumentException _) {
            throw unfit(
                    CONSUMER, said, "1 to " + Consumer.ID_CHARS_MAX + " characters that may stand in a field, no tab");
        }
    }

    private static @Nullable String value(ParseResult words, String name) {
        return words.matchedOptionValue("-" + name, null);
    }

    private static Failure unfit(String name, @Nullable String said, String expected) {
        String shown = said == null || said.isEmpty() ? "''" : said;
        return new Failure(Exit.USAGE, "--" + name + " " + shown + " (expected: " + expected + ")");
    }

    /** The same of that consumer. */
    AskedClient with(Consumer other) {
        return new AskedClient(address, handshake, other, said);
    }

    /** @throws Failure where something is said of a handshake */
    void requireNoHandshake() throws Failure {
        for (String name : said) {
            if (OF_HANDSHAKES.contains(name)) {
                throw new Failure(Exit.USAGE, "--" + name + " with http:// (expected: a URL of https://)");
            }
        }
    }

    /** Why a server refuses its handshake; null where it doesn't. */
    @Nullable String refusedBy(TlsConfig server) {
        String least = server.minVersion().text();
        if (handshake.version.compareTo(least) < 0) {
            return "none: the handshake is refused (min-version is " + least + ")";
        }
        String protocol = handshake.protocol;
        if (protocol != null && !server.alpn().isEmpty() && !server.alpn().contains(protocol)) {
            return "none: the handshake is refused (no_application_protocol: alpn is "
                    + String.join(", ", server.alpn()) + ")";
        }
        return isRequired(server) && handshake.chain.isEmpty()
                ? "none: the handshake is refused (client-auth requires a certificate)"
                : null;
    }

    private static boolean isRequired(TlsConfig server) {
        return server.clients().auth() == TlsConfig.ClientAuth.REQUIRE;
    }

    /** The same as that server sees it: without what it doesn't ask for, or doesn't speak. */
    AskedClient seenBy(TlsConfig server) {
        boolean asks = server.clients().auth() != TlsConfig.ClientAuth.NONE;
        String protocol = handshake.protocol;
        boolean agrees = protocol != null && server.alpn().contains(protocol);
        Handshake seen = new Handshake(
                handshake.version, agrees ? protocol : null, handshake.host, asks ? handshake.chain : List.of());
        return new AskedClient(address, seen, consumer, said);
    }

    /**
     * What is assumed of it, in words.
     *
     * @param server whose handshake it has; null where it comes over http
     * @return empty where nothing was said, and there is no handshake
     */
    String assumed(@Nullable TlsConfig server) {
        if (said.isEmpty() && server == null) {
            return "";
        }
        StringBuilder text = new StringBuilder("from ").append(address.text());
        if (server != null) {
            AskedClient seen = seenBy(server);
            text.append("; ").append(handshake.version);
            text.append(handshake.host == null ? ", no SNI" : ", SNI " + handshake.host);
            text.append(protocol(seen.handshake.protocol)).append(certificate(seen.handshake.chain, server));
        }
        return text.append(consumer == null ? "" : "; consumer " + told(consumer))
                .toString();
    }

    /** Who it is, and which plan it has. */
    static String told(Consumer consumer) {
        return consumer.id() + (consumer.plan() == null ? "" : " with plan " + consumer.plan());
    }

    private String protocol(@Nullable String seen) {
        if (seen != null) {
            return ", ALPN " + seen;
        }
        return handshake.protocol == null ? ", no ALPN" : ", no ALPN (" + handshake.protocol + " isn't spoken here)";
    }

    private String certificate(List<X509Certificate> seen, TlsConfig server) {
        if (!seen.isEmpty()) {
            return ", certificate " + seen.getFirst().getSubjectX500Principal().getName();
        }
        if (!handshake.chain.isEmpty()) {
            return ", no certificate (client-auth asks for none)";
        }
        return ", no certificate" + (isRequired(server) ? " (client-auth requires one)" : "");
    }
}
