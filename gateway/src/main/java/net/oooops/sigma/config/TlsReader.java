package net.oooops.sigma.config;

import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.certificate.ClientFiles.Found;
import net.oooops.sigma.certificate.OcspQuestion;
import net.oooops.sigma.config.TlsConfig.ClientAuth;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.config.TlsConfig.Version;
import org.jspecify.annotations.Nullable;

/** Reads {@code ssl} of servers: those of HTTPS without it show a self-signed certificate, those of TCP and Bolt are plain. */
final class TlsReader {
    /** The purposes of a certificate (extended key usage, RFC 5280 section 4.2.1.12) that servers may have. */
    private static final List<String> OF_SERVERS = List.of("1.3.6.1.5.5.7.3.1", "2.5.29.37.0");

    private final NamedFile.Reading from;
    private final Problems problems;
    private final Problems warnings;
    private final CertificateReader files;

    TlsReader(NamedFile.Reading from, Problems warnings, CertificateReader files) {
        this.from = from;
        this.problems = from.problems();
        this.warnings = warnings;
        this.files = files;
    }

    /** By the server's id, of those that are enabled, as far as there is no problem with them. */
    Map<String, TlsConfig> read(Json root) {
        Map<String, TlsConfig> all = new HashMap<>();
        List<Json> ofHttp = IdCheck.httpsServers(root);
        List<Json> servers = new ArrayList<>(ofHttp);
        servers.addAll(IdCheck.tcpServers(root));
        servers.addAll(IdCheck.boltServers(root));
        IdCheck.httpsServers(root).forEach(server -> selfSigned(server, all));
        for (Json server : servers) {
            Json ssl = server.get("ssl");
            if (ssl == null || ssl.kind() != Json.Kind.OBJECT || !server.flag("enable", true)) {
                continue;
            }
            relations(ssl);
            List<Shown> shown = shown(ssl);
            suit(ssl, shown);
            suitAsked(ssl);
            Clients clients = clients(ssl);
            Json written = ssl.get("acme");
            AcmeConfig acme = written == null ? null : new AcmeReader(root, from, files).read(written);
            if (!problems.isWithin(ssl)) {
                List<String> otherwise = ofHttp.contains(server) ? TlsConfig.ALPN_OF_HTTP : List.of();
                List<String> alpn = ssl.get("alpn") == null ? otherwise : alpn(ssl);
                all.put(server.text("id", ""), tls(ssl, shown, clients, alpn, acme));
            }
        }
        return all;
    }

    /** HTTPS of which nothing else is said is to be tried, not to be seen. */
    private void selfSigned(Json server, Map<String, TlsConfig> all) {
        if (server.kind() != Json.Kind.OBJECT || server.get("ssl") != null || !server.flag("enable", true)) {
            return;
        }
        warnings.missing(
                server,
                "ssl",
                "a certificate for the public; a self-signed one for localhost is made at each start, which nobody else trusts");
        all.put(server.text("id", ""), TlsConfig.selfSigned(server.pointer()));
    }

    private static TlsConfig tls(
            Json ssl, List<Shown> shown, Clients clients, List<String> alpn, @Nullable AcmeConfig acme) {
        return new TlsConfig(
                shown,
                minVersion(ssl),
                ciphers(ssl),
                alpn,
                ssl.flag("strict-sni", false),
                clients,
                ssl.flag("ocsp-stapling", false),
                acme,
                ssl.pointer());
    }

    private void relations(Json ssl) {
        Json several = ssl.get("certificates");
        Json one = ssl.get("certPath");
        if (several == null && one == null && ssl.get("acme") == null) {
            problems.missing(ssl, "certPath", "the file of the certificate, or \"certificates\", or \"acme\"");
        } else if (several != null) {
            for (String key : List.of("type", "certPath", "keyPath", "password-file", "server-names")) {
                Json beside = ssl.get(key);
                if (beside != null) {
                    problems.key(
                            beside, Json.quoted(key), "to stand in one of \"certificates\", which are beside it", null);
                }
            }
        }
        ciphersFit(ssl, problems);
    }

    /** The oldest version that is spoken. */
    static Version minVersion(Json ssl) {
        return ssl.text("min-version", "").equals(Version.TLS_1_3.text()) ? Version.TLS_1_3 : Version.TLS_1_2;
    }

    /** The suites of TLS 1.2 that may be agreed on. */
    static List<String> ciphers(Json ssl) {
        List<String> ciphers = ssl.itemsOf("ciphers").stream().map(Json::text).toList();
        return ciphers.isEmpty() ? TlsConfig.CIPHERS_DEFAULT : ciphers;
    }

    /** The protocols that may be agreed on. */
    static List<String> alpn(Json ssl) {
        return ssl.itemsOrSelfOf("alpn").stream().map(Json::text).toList();
    }

    /** Suites are written only where the version is spoken that they are of. */
    static void ciphersFit(Json ssl, Problems problems) {
        Json ciphers = ssl.get("ciphers");
        if (ciphers != null && minVersion(ssl) == Version.TLS_1_3) {
            problems.key(
                    ciphers, "\"ciphers\"", "\"min-version\": \"TLSv1.2\"; those of TLS 1.3 may always be used", null);
        }
    }

    /** Each certificate has a suite that its key can be used with: else all handshakes fail with it, those of TLS 1.3, too. */
    private void suit(Json ssl, List<Shown> shown) {
        Json written = ssl.get("ciphers");
        for (Shown each : shown) {
            boolean rsa = each.found().key().getAlgorithm().equals("RSA");
            String kind = rsa ? "_RSA_" : "_ECDSA_";
            if (written != null
                    && !problems.isWithin(written)
                    && ciphers(ssl).stream().noneMatch(cipher -> cipher.contains(kind))) {
                String expected = "one with " + kind + ", as the key of "
                        + each.files().certificates().getFileName() + " is one of "
                        + each.found().key().getAlgorithm();
                problems.value(written, "none that goes with a certificate", expected, null);
                return;
            }
        }
    }

    /** Those that are asked for have keys on P-256. */
    private void suitAsked(Json ssl) {
        Json written = ssl.get("ciphers");
        if (ssl.get("acme") != null
                && written != null
                && !problems.isWithin(written)
                && ciphers(ssl).stream().noneMatch(cipher -> cipher.contains("_ECDSA_"))) {
            problems.value(
                    written,
                    "none that goes with a certificate",
                    "one with _ECDSA_, as certificates that are asked for have keys of EC",
                    null);
        }
    }

    private List<Shown> shown(Json ssl) {
        List<Json> written = ssl.get("certificates") != null
                ? ssl.itemsOf("certificates")
                : ssl.get("certPath") == null ? List.of() : List.of(ssl);
        List<Shown> shown = new ArrayList<>();
        Map<String, Json> taken = new HashMap<>();
        for (Json each : written) {
            problems.texts(each.itemsOf("server-names"), TextSyntax.VIRTUAL_HOST);
            Shown found = certificate(each);
            if (found != null) {
                hidden(each, found, shown);
                purpose(each, found);
                stapled(ssl, each, found);
                shown.add(found);
                clashes(each, taken);
            }
        }
        return shown;
    }

    /** Where two are for one name, the first would be shown, and nobody would know why: where that is written out, it is a mistake. */
    private void clashes(Json certificate, Map<String, Json> taken) {
        for (Json name : certificate.itemsOf("server-names")) {
            Json before = taken.putIfAbsent(name.text().toLowerCase(Locale.ROOT), name);
            if (before != null) {
                String expected =
                        "a name that has no other certificate; " + before.lineSeenFrom(name) + " has this one";
                problems.value(name, name.shown(), expected, null);
            }
        }
    }

    /** Of two for one host the first is shown, whatever their keys: one that has no host of its own never is. */
    private void hidden(Json written, Shown found, List<Shown> before) {
        boolean none = !before.isEmpty()
                && found.hosts().stream()
                        .allMatch(host ->
                                before.stream().anyMatch(each -> each.hosts().contains(host)));
        Json file = written.get("certPath");
        if (none && file != null && found.written().isEmpty()) {
            warnings.value(
                    file,
                    file.shown() + ", which is never shown",
                    "one for a host that those before it aren't for",
                    null);
        }
    }

    private void purpose(Json written, Shown found) {
        Json file = written.get("certPath");
        try {
            List<String> purposes = found.found().certificate().getExtendedKeyUsage();
            if (file != null && purposes != null && purposes.stream().noneMatch(OF_SERVERS::contains)) {
                warnings.value(file, file.shown() + ", which isn't for servers", "extended key usage serverAuth", null);
            }
        } catch (CertificateParsingException e) {
            // Clients will say what they think of it.
            return;
        }
    }

    /** What can't be shown with it, or has to be. */
    private void stapled(Json ssl, Json written, Shown found) {
        Json file = written.get("certPath");
        if (file == null) {
            return;
        }
        if (!ssl.flag("ocsp-stapling", false)) {
            if (found.found().isMustStaple()) {
                warnings.value(
                        file,
                        file.shown() + ", which clients refuse without an OCSP response (must-staple)",
                        "\"ocsp-stapling\": true",
                        null);
            }
            return;
        }
        try {
            OcspQuestion.about(found.found());
        } catch (CertificateFault e) {
            warnings.value(file, file.shown() + ", " + e.found(), e.expected(), null);
        }
    }

    private @Nullable Shown certificate(Json written) {
        CertificateReader.Read read = files.certificate(written);
        if (read == null) {
            return null;
        }
        List<String> names = written.itemsOf("server-names").stream()
                .map(name -> name.text().toLowerCase(Locale.ROOT))
                .toList();
        return new Shown(read.files(), read.found(), names);
    }

    private Clients clients(Json ssl) {
        Json asked = ssl.get("client-auth");
        if (asked != null && problems.has(asked)) {
            return Clients.UNASKED;
        }
        ClientAuth auth = ClientAuth.valueOf(ssl.text("client-auth", "none").toUpperCase(Locale.ROOT));
        Json authorities = ssl.get("client-ca");
        Json revocations = ssl.get("client-crl");
        if (auth == ClientAuth.NONE) {
            for (Json beside : new Json[] {authorities, revocations}) {
                if (beside != null) {
                    problems.key(
                            beside,
                            Json.quoted(beside.step()),
                            "\"client-auth\": \"require\" or \"request\" beside it",
                            null);
                }
            }
            return Clients.UNASKED;
        }
        if (authorities == null) {
            problems.missing(ssl, "client-ca", "the file of the certificates that those of clients are issued by");
            return Clients.UNASKED;
        }
        List<X509Certificate> issuers = files.authorities(authorities);
        List<X509CRL> revoked = revocations == null ? List.of() : files.revocations(revocations);
        Path issuersFile = files.path(authorities);
        if (issuersFile == null || problems.isWithin(ssl)) {
            return Clients.UNASKED;
        }
        return new Clients(auth, new ClientFiles(issuersFile, files.path(revocations)), new Found(issuers, revoked));
    }
}
