package net.oooops.sigma.ocsp;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import org.jspecify.annotations.Nullable;

/** {@code openssl ocsp} as the responder of an issuer, and {@code openssl s_client} as a client that asks for what it says. */
final class OpensslResponder implements AutoCloseable {
    private final Path folder;
    private final X509Bundle issuer;
    private final int port = FreePorts.one();
    private final StringBuilder index = new StringBuilder();
    private @Nullable Process process;

    OpensslResponder(Path folder, X509Bundle issuer) {
        this.folder = folder;
        this.issuer = issuer;
    }

    /** Leaves the test out where there is no openssl. */
    static void needed() {
        try {
            String version = said(new ProcessBuilder("openssl", "version"));
            Needed.here(version.startsWith("OpenSSL 3"), "OpenSSL 3 is installed");
        } catch (IOException e) {
            Needed.here(false, "OpenSSL 3 is installed");
        }
    }

    /** Where it answers. */
    String url() {
        return "http://127.0.0.1:" + port + "/";
    }

    /** It knows that certificate. */
    OpensslResponder good(X509Certificate certificate) {
        index.append("V\t391231235959Z\t\t").append(line(certificate));
        return this;
    }

    /** It knows that it is revoked. */
    OpensslResponder revoked(X509Certificate certificate) {
        index.append("R\t391231235959Z\t250101000000Z,keyCompromise\t").append(line(certificate));
        return this;
    }

    /** What all lines end with; it wants each name once. */
    private static String line(X509Certificate certificate) {
        String serial = serial(certificate);
        return serial + "\tunknown\t/CN=" + serial + "\n";
    }

    /** As its file has it: whole octets. */
    private static String serial(X509Certificate certificate) {
        String hex = certificate.getSerialNumber().toString(16).toUpperCase(Locale.ROOT);
        return hex.length() % 2 == 0 ? hex : "0" + hex;
    }

    /** Starts it, and starts it anew where it runs: it answers then, with what holds for so many minutes. */
    OpensslResponder start(int minutes) throws IOException {
        close();
        Path file = folder.resolve("index.txt");
        Files.writeString(file, index);
        Path authority = folder.resolve("issuer.pem");
        Path key = folder.resolve("issuer.key");
        Files.writeString(authority, issuer.getCertificatePEM());
        Files.writeString(key, issuer.getPrivateKeyPEM());
        Path log = folder.resolve("responder.log");
        process = new ProcessBuilder(List.of(
                        "openssl",
                        "ocsp",
                        "-index",
                        file.toString(),
                        "-port",
                        String.valueOf(port),
                        "-CA",
                        authority.toString(),
                        "-rsigner",
                        authority.toString(),
                        "-rkey",
                        key.toString(),
                        "-nmin",
                        String.valueOf(minutes)))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Await.until("the responder listens", () -> has(log, "waiting for OCSP client connections"));
        return this;
    }

    private static boolean has(Path log, String words) {
        try {
            return Files.readString(log).contains(words);
        } catch (IOException e) {
            return false;
        }
    }

    /** What a client is told that asks for a host's certificate and for what its responder says. */
    static String shownTo(int port, String... options) {
        ProcessBuilder builder = new ProcessBuilder(
                "openssl", "s_client", "-connect", "127.0.0.1:" + port, "-servername", "a.example", "-status");
        builder.command().addAll(List.of(options));
        try {
            return said(builder);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String said(ProcessBuilder builder) throws IOException {
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor(10, TimeUnit.SECONDS);
            return said;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
            try {
                running.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
