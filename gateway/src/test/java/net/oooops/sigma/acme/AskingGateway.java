package net.oooops.sigma.acme;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.config.AcmeConfig.Binding;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.testkit.Await;
import org.jspecify.annotations.Nullable;

/** A gateway that asks {@link Pebble} for the certificates of its one server of HTTPS. */
final class AskingGateway extends WrittenGateway {
    private static final String ACME = "/proxy-server/https/ssl/acme";

    private final int https;

    private AskingGateway(ObjectNode root, int https) throws StartException {
        super(root, 1);
        this.https = https;
    }

    /**
     * Starts one that listens where Pebble looks.
     *
     * @param challenge which is used; null: both may be
     */
    static AskingGateway start(
            Pebble pebble, Pebble.Gates gates, Path folder, @Nullable String challenge, String... hosts)
            throws StartException {
        ObjectNode root = written(pebble, gates, folder, hosts);
        if (challenge != null) {
            ((ObjectNode) root.at(ACME)).put("challenge", challenge);
        }
        return start(root, gates);
    }

    /** Starts one that has an account with the issuer. */
    static AskingGateway startBound(Pebble pebble, Pebble.Gates gates, Path folder, Binding binding, String host)
            throws StartException {
        ObjectNode root = written(pebble, gates, folder, host);
        ((ObjectNode) root.at(ACME))
                .put("eab-key-id", binding.keyId())
                .put("eab-key-file", binding.keyFile().toString());
        return start(root, gates);
    }

    private static ObjectNode written(Pebble pebble, Pebble.Gates gates, Path folder, String... hosts) {
        ObjectNode root = JSON.createObjectNode();
        ObjectNode servers = root.putObject("proxy-server");
        ObjectNode plain = servers.putObject("http")
                .put("id", "plain")
                .put("host", "127.0.0.1")
                .put("port", gates.http());
        // Which lets nothing of it pass: issuers are answered before it.
        plain.putObject("plugin")
                .putObject("http-redirect-https")
                .putArray("except")
                .add("/nothing");
        ObjectNode https = servers.putObject("https")
                .put("id", "web")
                .put("host", "127.0.0.1")
                .put("port", gates.https());
        ObjectNode acme = https.putObject("ssl").putObject("acme");
        for (String host : hosts) {
            acme.withArray("server-names").add(host);
        }
        acme.put("email", "admin@sigma.test")
                .put("terms-of-service-agreed", true)
                .put("directory", pebble.directory())
                .put("ca", pebble.authority().toString())
                .put("folder", folder.toString());
        return root;
    }

    /** Starts what a file says, which listens there. */
    static AskingGateway start(ObjectNode root, Pebble.Gates gates) throws StartException {
        root.set("runtime", runtime());
        return new AskingGateway(root, gates.https());
    }

    /** The certificate that a client is shown for a host. */
    X509Certificate shown(String host) throws IOException {
        SSLContext trusting;
        try {
            trusting = SSLContext.getInstance("TLS");
            trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), https);
        try (SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket(plain, "127.0.0.1", https, true)) {
            socket.setSoTimeout((int) Await.DEADLINE.toMillis());
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(host)));
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    /** Waits for a certificate for that host that is another one than this. */
    X509Certificate awaitShown(String host, @Nullable X509Certificate before) {
        X509Certificate[] found = new X509Certificate[1];
        Await.until("another certificate for " + host, Await.DEADLINE.multipliedBy(3), () -> {
            try {
                found[0] = shown(host);
                return !found[0].equals(before);
            } catch (IOException e) {
                return false;
            }
        });
        return found[0];
    }
}
