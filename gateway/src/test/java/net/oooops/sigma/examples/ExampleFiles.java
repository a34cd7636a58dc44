package net.oooops.sigma.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import net.oooops.sigma.Needed;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.config.TlsConfig.Version;

/** The folder {@code examples/}: its files, and the table of its README. */
final class ExampleFiles {
    /** Vert.x's options, the one file that is no sigma.json, and the file that it is shown with. */
    static final String OPTIONS = "options.json";

    static final String WITH_OPTIONS = "runtime.json";

    private static final Pattern ROW = Pattern.compile("(?m)^\\| \\[(\\S+)]\\(\\1\\) \\| .+ \\| `(.+)` \\|$");

    private ExampleFiles() {}

    /** The folder. */
    static Path folder() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(folder.resolve("examples/README.md"))) {
            folder = Objects.requireNonNull(folder.getParent(), "no folder above has examples/README.md");
        }
        return folder.resolve("examples");
    }

    /** Has the examples' certificates made, where they aren't there yet. */
    static void makeCertificates() {
        try {
            Process making = new ProcessBuilder(
                            "bash", folder().resolve("make-certificates.sh").toString())
                    .inheritIO()
                    .start();
            Needed.here(making.waitFor() == 0, "openssl, which makes the examples' certificates (Debian: openssl)");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Speaks TLS to localhost, and trusts the examples' authority. */
    static Socket encrypted(Socket connected) throws IOException {
        try {
            SSLSocket socket = (SSLSocket)
                    trusting().getSocketFactory().createSocket(connected, "localhost", connected.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            // As curl; the JDK asks for no name without a dot by itself.
            parameters.setServerNames(List.of(new SNIHostName("localhost")));
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Trusts the examples' authority. */
    static SSLContext trusting() throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(folder().resolve("certificates/ca.crt"))) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        }
    }

    private static CertificateFiles localhost() {
        Path certificates = folder().resolve("certificates");
        return new CertificateFiles(
                CertificateFiles.Form.PEM,
                certificates.resolve("localhost.crt"),
                certificates.resolve("localhost.key"),
                null);
    }

    /** How a node of HTTP/2 over TLS speaks it. */
    static TlsConfig tls() {
        try {
            Shown shown = new Shown(localhost(), localhost().read(), List.of());
            return new TlsConfig(
                    List.of(shown),
                    Version.TLS_1_2,
                    TlsConfig.CIPHERS_DEFAULT,
                    TlsConfig.ALPN_OF_HTTP,
                    false,
                    Clients.UNASKED,
                    false,
                    null,
                    "");
        } catch (CertificateFault e) {
            throw new IllegalStateException(e);
        }
    }

    /** Speaks TLS as a node does that was started with {@code --tls}. */
    static Socket encrypting(Socket accepted) throws IOException {
        try {
            KeyedCertificate found = localhost().read();
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setKeyEntry("node", found.key(), new char[0], found.chain().toArray(new X509Certificate[0]));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(accepted, null, accepted.getPort(), true);
            socket.setUseClientMode(false);
            socket.startHandshake();
            return socket;
        } catch (CertificateFault | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The names of all files that end in {@code .json} or {@code .yaml}, sorted. */
    static List<String> names() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(".json") || name.endsWith(".yaml"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sigma.json that an example is started from: itself, unless it is {@link #OPTIONS}. */
    static Path config(String name) {
        return folder().resolve(name.equals(OPTIONS) ? WITH_OPTIONS : name);
    }

    /** By file, the line to try it with, as the table of the README has it. */
    static Map<String, String> linesToTry() {
        Map<String, String> lines = new TreeMap<>();
        try {
            for (MatchResult row : ROW.matcher(Files.readString(folder().resolve("README.md")))
                    .results()
                    .toList()) {
                lines.put(row.group(1), row.group(2).replace("\\|", "|"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }
}
