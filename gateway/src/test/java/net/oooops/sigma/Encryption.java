package net.oooops.sigma;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.config.TlsConfig.Version;

/** What tests that aren't about TLS encrypt with: one certificate, and clients of the JDK's that trust it. */
public final class Encryption {
    private static final Duration VALID = Duration.ofDays(100);

    public static final Encryption SHARED = new Encryption();

    private final TlsConfig config;
    private final SSLContext client;
    private final SSLContext server;
    private final X509Bundle bundle;

    private Encryption() {
        try {
            Path folder = Files.createTempDirectory("sigma-tls");
            Path certificate = folder.resolve("certificate.pem");
            Path key = folder.resolve("key.pem");
            bundle = new CertificateBuilder()
                    .subject("CN=localhost")
                    .addSanDnsName("localhost")
                    .notAfter(Instant.now().plus(VALID))
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
            Files.writeString(certificate, bundle.getCertificatePathPEM());
            Files.writeString(key, bundle.getPrivateKeyPEM());
            for (Path each : List.of(folder, key, certificate)) {
                each.toFile().deleteOnExit();
            }
            CertificateFiles files = new CertificateFiles(Form.PEM, certificate, key, null);
            KeyedCertificate found = files.read();
            config = new TlsConfig(
                    List.of(new Shown(files, found, List.of())),
                    Version.TLS_1_2,
                    TlsConfig.CIPHERS_DEFAULT,
                    TlsConfig.ALPN_OF_HTTP,
                    false,
                    Clients.UNASKED,
                    false,
                    null,
                    "");
            client = SSLContext.getInstance("TLS");
            client.init(null, new TrustManager[] {bundle.toTrustManager()}, null);
            server = SSLContext.getInstance("TLS");
            server.init(bundle.toKeyManagerFactory().getKeyManagers(), null, null);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its certificate, as a file has it. */
    public String certificatePem() {
        return bundle.getCertificatePathPEM();
    }

    /** The key of that. */
    public String keyPem() {
        return bundle.getPrivateKeyPEM();
    }

    TlsConfig config() {
        return config;
    }

    /** Its connections are encrypted, and clients may agree on one of these protocols. */
    public TlsConfig speaking(String... alpn) {
        return ChangedRecord.with(config, "alpn", List.of(alpn));
    }

    /** How a gateway speaks to nodes that encrypt with this, and that are offered these protocols. */
    public NodeTlsConfig ofNodes(String... offered) {
        return new NodeTlsConfig(
                new NodeTlsConfig.Trust(null, List.of(bundle.getCertificate()), List.of(), false),
                "localhost",
                null,
                Version.TLS_1_2,
                TlsConfig.CIPHERS_DEFAULT,
                List.of(offered),
                "");
    }

    /** Encrypts a connection of a node. */
    Socket serve(Socket accepted) throws IOException {
        SSLSocket socket = (SSLSocket) server.getSocketFactory().createSocket(accepted, null, accepted.getPort(), true);
        socket.setUseClientMode(false);
        socket.startHandshake();
        return socket;
    }

    /** Encrypts a connection of a node that agrees on one of these protocols, the first that it is offered, or refuses the handshake. */
    public SSLSocket agree(Socket accepted, String... alpn) throws IOException {
        SSLSocket socket = (SSLSocket) server.getSocketFactory().createSocket(accepted, null, accepted.getPort(), true);
        socket.setUseClientMode(false);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(alpn);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /** Encrypts a connection of a client, which offers these protocols. */
    public Socket wrap(Socket connected, String... alpn) throws IOException {
        SSLSocket socket =
                (SSLSocket) client.getSocketFactory().createSocket(connected, null, connected.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(alpn);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }
}
