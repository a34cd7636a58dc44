package net.oooops.sigma.acme;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.Needed;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.tls.Certificates;

/**
 * Let's Encrypt's Pebble on the loopback, an issuer to test with, and its name server, for which every name is 127.0.0.1. Built once from source, by Go.
 */
final class Pebble implements AutoCloseable {
    private static final String VERSION = "v2.10.1";
    private static final String MODULE = "github.com/letsencrypt/pebble/v2/cmd/";
    private static final Path PROGRAMS = Path.of("target", "pebble-" + VERSION).toAbsolutePath();
    private static final int BUILD_MINUTES = 5;
    private static final int GO_MINOR_LEAST = 24;
    private static final Pattern GO_VERSION = Pattern.compile("go1\\.([0-9]{1,4})");

    private final Path folder;
    private final int port;
    private final Gates gates;
    private final long seconds;
    private final List<Process> processes = new ArrayList<>();
    private boolean asksNobody;
    private final Map<String, String> keys = new LinkedHashMap<>();

    /** Where it looks for the hosts' pages and handshakes. */
    record Gates(int http, int https) {
        static Gates free() {
            int[] ports = FreePorts.several(2);
            return new Gates(ports[0], ports[1]);
        }
    }

    /**
     * One that isn't started yet.
     *
     * @param folder for its files
     * @param seconds so long its certificates are good
     */
    Pebble(Path folder, Gates gates, long seconds) {
        this.folder = folder;
        this.gates = gates;
        this.seconds = seconds;
        this.port = FreePorts.one();
        X509Bundle own = new Certificates(folder).issued("localhost");
        write("pebble.pem", own.getCertificatePathPEM());
        write("pebble.key", own.getPrivateKeyPEM());
        write("ca.pem", own.getRootCertificate() == null ? "" : pem(own));
    }

    private static String pem(X509Bundle own) {
        try {
            return Certificates.pem("CERTIFICATE", own.getRootCertificate().getEncoded());
        } catch (java.security.cert.CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Leaves the test out where there is no Go; with {@code SIGMA_CI} set it fails then. */
    static synchronized void needed() {
        Needed.here(goMinor() >= GO_MINOR_LEAST, "Go 1." + GO_MINOR_LEAST + " or later is installed");
        if (Files.isExecutable(PROGRAMS.resolve("pebble"))) {
            return;
        }
        int exit =
                run(PROGRAMS, "go", "install", MODULE + "pebble-challtestsrv@" + VERSION, MODULE + "pebble@" + VERSION);
        if (exit != 0) {
            throw new AssertionError("go install: exit " + exit);
        }
    }

    /** The second number of its version; 0 where there is none. */
    private static int goMinor() {
        try {
            Process process = new ProcessBuilder("go", "version").start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            Matcher version = GO_VERSION.matcher(said);
            return version.find() ? Integer.parseInt(version.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    private static int run(Path programs, String... words) {
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("GOBIN", programs.toString());
        try {
            Process process = builder.start();
            if (!process.waitFor(BUILD_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                return -1;
            }
            return process.exitValue();
        } catch (IOException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    /** Has it believe whoever asks, without a look. */
    Pebble askingNobody() {
        asksNobody = true;
        return this;
    }

    /** Has it give certificates to none but those who have an account with it already, by that key in base64url. */
    Pebble binding(String keyId, String key) {
        keys.put(keyId, key);
        return this;
    }

    /** Starts it; it listens then. */
    Pebble start() {
        int[] ports = FreePorts.several(2);
        String names = "127.0.0.1:" + ports[0];
        processes.add(program(
                "pebble-challtestsrv",
                "-http01=",
                "-https01=",
                "-tlsalpn01=",
                "-doh=",
                "-defaultIPv6=",
                "-dnsserver=" + names,
                "-management=127.0.0.1:" + ports[1]));
        ObjectNode root = new ObjectMapper().createObjectNode();
        ObjectNode config = root.putObject("pebble");
        config.put("listenAddress", "127.0.0.1:" + port)
                .put("certificate", folder.resolve("pebble.pem").toString())
                .put("privateKey", folder.resolve("pebble.key").toString())
                .put("httpPort", gates.http())
                .put("tlsPort", gates.https())
                .put("keyAlgorithm", "ecdsa");
        config.putObject("retryAfter").put("authz", 1).put("order", 1);
        config.putObject("profiles").putObject("default").put("description", "").put("validityPeriod", seconds);
        config.put("externalAccountBindingRequired", !keys.isEmpty());
        ObjectNode known = config.putObject("externalAccountMACKeys");
        keys.forEach(known::put);
        Path file = write("pebble.json", root.toString());
        processes.add(program("pebble", "-config=" + file, "-dnsserver=" + names));
        Await.until("Pebble listens", () -> isOpen(port) && isOpen(ports[0]));
        return this;
    }

    private Process program(String name, String... words) {
        List<String> command = new ArrayList<>(List.of(PROGRAMS.resolve(name).toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile());
        builder.environment().put("PEBBLE_VA_NOSLEEP", "1");
        builder.environment().put("PEBBLE_AUTHZREUSE", "0");
        // Each tenth request is told to come again, as issuers do.
        builder.environment().put("PEBBLE_WFE_NONCEREJECT", "10");
        builder.environment().put("PEBBLE_VA_ALWAYS_VALID", asksNobody ? "1" : "0");
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOpen(int port) {
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it is asked. */
    String directory() {
        return "https://localhost:" + port + "/dir";
    }

    /** The file of whoever has issued its own certificate. */
    Path authority() {
        return folder.resolve("ca.pem");
    }

    /** How many orders it has been given. */
    int orders() {
        try {
            String log = Files.readString(folder.resolve("pebble.log"));
            return log.split("There are now [0-9]+ orders in the db", -1).length - 1;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Ends it, as if it had crashed. */
    @Override
    public void close() {
        for (Process process : processes) {
            process.destroyForcibly();
            try {
                if (!process.waitFor(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new AssertionError(process + " doesn't end");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        processes.clear();
    }
}
