package net.oooops.sigma.config;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.MacKeyFile;
import net.oooops.sigma.certificate.PemFile;
import net.oooops.sigma.certificate.SecretFolder;
import net.oooops.sigma.config.AcmeConfig.Challenge;
import org.jspecify.annotations.Nullable;

/** Reads {@code acme} of an {@code ssl}, and what is in its folder already. Nobody is asked. */
final class AcmeReader {
    private static final String READABLE = "a file that can be read";
    private static final String READABLE_FOLDER = "a folder that can be read";

    private final Json root;
    private final NamedFile.Reading from;
    private final Problems problems;
    private final CertificateReader files;

    /** @param from gets what doesn't answer: who waits for it is to look at it */
    AcmeReader(Json root, NamedFile.Reading from, CertificateReader files) {
        this.root = root;
        this.from = from;
        this.problems = from.problems();
        this.files = files;
    }

    /** Null where there is a problem with it. */
    @Nullable AcmeConfig read(Json acme) {
        List<Json> names = acme.itemsOf("server-names");
        names.forEach(this::name);
        terms(acme);
        URI directory = directory(acme);
        Json ca = acme.get("ca");
        List<X509Certificate> authorities = ca == null ? List.of() : files.authorities(ca);
        List<Challenge> challenges = challenges(acme);
        AcmeConfig.Binding binding = binding(acme);
        if (directory == null || problems.isWithin(acme)) {
            return null;
        }
        Json written = acme.get("folder");
        Path folder = written == null
                ? acme.source().resolve(AcmeConfig.FOLDER_DEFAULT)
                : files.path(written, "the path of a folder");
        if (folder == null) {
            return null;
        }
        Path own = AcmeConfig.folderOf(folder, directory);
        Json at = written == null ? acme : written;
        List<String> hosts =
                names.stream().map(name -> name.text().toLowerCase(Locale.ROOT)).toList();
        Map<String, KeyedCertificate> found = found(at, folder, own, hosts);
        Json email = acme.get("email");
        return problems.isWithin(acme)
                ? null
                : new AcmeConfig(
                        hosts,
                        email == null ? null : email.text(),
                        binding,
                        directory,
                        own,
                        authorities,
                        challenges,
                        found);
    }

    /** Null where none is written, or there is a problem with it. */
    private AcmeConfig.@Nullable Binding binding(Json acme) {
        Json id = acme.get("eab-key-id");
        Json file = acme.get("eab-key-file");
        if (id == null && file != null) {
            problems.missing(acme, "eab-key-id", "what the issuer calls the key in \"eab-key-file\"");
        } else if (id != null && file == null) {
            problems.missing(acme, "eab-key-file", "the file of the key that \"eab-key-id\" names");
        }
        Path path = files.path(file);
        if (id == null || file == null || path == null) {
            return null;
        }
        try {
            CertificateFault fault = from.patience().<@Nullable CertificateFault>ask(path, reading -> faultOf(path));
            if (fault != null) {
                problems.value(file, file.shown() + ", " + fault.found(), fault.expected(), null);
            }
        } catch (FileAnswers.Unanswered e) {
            from.files().add(path);
            problems.unanswered(file, file.shown(), e, READABLE);
        } catch (IOException e) {
            problems.value(file, READABLE);
        }
        return new AcmeConfig.Binding(id.text(), path);
    }

    private static @Nullable CertificateFault faultOf(Path key) {
        try {
            MacKeyFile.read(key);
            return null;
        } catch (CertificateFault e) {
            return e;
        }
    }

    private void name(Json name) {
        if (name.text().startsWith("*.")) {
            problems.value(
                    name,
                    "whole names; a certificate for " + name.text()
                            + " takes the challenge dns-01, which isn't there: it can come from files, in \"certificates\""
                            + " beside \"acme\"");
        } else if (IpAddress.parse(name.text()) != null) {
            problems.value(name, "the name of a host");
        } else {
            problems.text(name, TextSyntax.HOST_NAME);
        }
    }

    private void terms(Json acme) {
        String expected = "true, which says that you agree to the terms of service of "
                + acme.text("directory", AcmeConfig.DIRECTORY_DEFAULT);
        Json agreed = acme.get("terms-of-service-agreed");
        if (agreed == null) {
            problems.missing(acme, "terms-of-service-agreed", expected);
        } else if (agreed.kind() == Json.Kind.BOOLEAN && !agreed.isTrue()) {
            problems.value(agreed, expected);
        }
    }

    private @Nullable URI directory(Json acme) {
        Json written = acme.get("directory");
        try {
            URI found = new URI(acme.text("directory", AcmeConfig.DIRECTORY_DEFAULT));
            if ("https".equals(found.getScheme()) && found.getHost() != null && found.getUserInfo() == null) {
                return found;
            }
        } catch (URISyntaxException e) {
            // Told below.
        }
        if (written != null) {
            problems.value(written, "a URL that begins with https://");
        }
        return null;
    }

    private List<Challenge> challenges(Json acme) {
        boolean plain = ConfigBuilder.section(root, "proxy-server").itemsOrSelfOf("http").stream()
                .anyMatch(server ->
                        server.flag("enable", true) && !server.text("http2", "").equals("only"));
        List<Challenge> all = new ArrayList<>();
        Json written = acme.get("challenge");
        if (written == null) {
            if (plain) {
                all.add(Challenge.HTTP_01);
            }
            all.add(Challenge.TLS_ALPN_01);
            return all;
        }
        for (Challenge each : Challenge.values()) {
            if (each.text().equals(written.text())) {
                all.add(each);
            }
        }
        if (!plain && all.contains(Challenge.HTTP_01)) {
            problems.value(
                    written, "\"tls-alpn-01\", or a server of \"http\" beside, as http-01 is asked over plain HTTP");
        }
        return all;
    }

    /** What is in a folder, and what is wrong there. */
    private record Found(Problems problems, Map<String, KeyedCertificate> certificates) {}

    private Map<String, KeyedCertificate> found(Json at, Path folder, Path own, List<String> hosts) {
        try {
            Found found = from.patience().ask(own, reading -> look(at, folder, own, hosts));
            problems.addAll(found.problems);
            return found.certificates;
        } catch (FileAnswers.Unanswered e) {
            from.files().add(own);
            problems.unanswered(at, own.toString(), e, READABLE_FOLDER);
        } catch (IOException e) {
            problems.value(at, own + ", which can't be read", READABLE_FOLDER, null);
        }
        return Map.of();
    }

    /** With problems of its own: whoever asked may be gone when this comes back. */
    private static Found look(Json at, Path folder, Path own, List<String> hosts) {
        Found found = new Found(new Problems(), new HashMap<>());
        try {
            SecretFolder.requireSecret(folder);
            SecretFolder.requireSecret(own);
            SecretFolder.requireMakeable(own);
            Path account = own.resolve(AcmeConfig.ACCOUNT_KEY);
            if (Files.exists(account)) {
                SecretFolder.requireSecret(account);
                try {
                    PemFile.keys(CertificateFiles.bytes(account));
                } catch (CertificateFault e) {
                    wrong(at, account, e, found);
                }
            }
            for (String host : hosts) {
                certificate(at, AcmeConfig.files(own, host), host, found);
            }
        } catch (SecretFolder.Exposed e) {
            found.problems.value(at, e.file() + ", " + e.found(), e.expected(), null);
        }
        return found;
    }

    private static void certificate(Json at, CertificateFiles where, String host, Found found)
            throws SecretFolder.Exposed {
        Path file = where.certificates();
        if (!Files.exists(file)) {
            return;
        }
        SecretFolder.requireSecret(file);
        try {
            found.certificates.put(host, where.read());
        } catch (CertificateFault e) {
            wrong(at, file, e, found);
        }
    }

    private static void wrong(Json at, Path file, CertificateFault why, Found found) {
        String expected = why.expected() + "; where it is taken away, another one is asked for";
        found.problems.value(at, file + ", " + why.found(), expected, null);
    }
}
