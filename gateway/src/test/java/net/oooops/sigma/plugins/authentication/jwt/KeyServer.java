package net.oooops.sigma.plugins.authentication.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Where an issuer has its keys. What it answers may be changed. */
final class KeyServer implements AutoCloseable {
    final AtomicInteger asked = new AtomicInteger();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String url;
    private volatile int status = 200;
    private volatile String body = "";
    private volatile @Nullable String location;
    private volatile CountDownLatch mayAnswer = new CountDownLatch(0);

    private KeyServer(HttpServer server, String scheme) {
        this.server = server;
        url = scheme + "://localhost:" + server.getAddress().getPort() + "/keys";
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    static KeyServer plain() throws IOException {
        return new KeyServer(HttpServer.create(anyPort(), 0), "http");
    }

    /** With a certificate that is written to that file. */
    static KeyServer encrypted(Path certificate) throws Exception {
        X509Bundle bundle = new CertificateBuilder()
                .subject("CN=localhost")
                .addSanDnsName("localhost")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Files.writeString(certificate, bundle.getCertificatePathPEM());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(bundle.toKeyManagerFactory().getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(anyPort(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new KeyServer(server, "https");
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    String url() {
        return url;
    }

    KeyServer answers(int code, String text) {
        status = code;
        body = text;
        return this;
    }

    KeyServer redirects(String to) {
        location = to;
        return answers(302, "");
    }

    /** Answers once that is counted down. */
    KeyServer waitsFor(CountDownLatch latch) {
        mayAnswer = latch;
        return this;
    }

    private void answer(HttpExchange exchange) throws IOException {
        asked.incrementAndGet();
        try {
            if (!mayAnswer.await(20, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            return;
        }
        try (exchange) {
            String to = location;
            if (to != null) {
                exchange.getResponseHeaders().add("Location", to);
            }
            byte[] bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
