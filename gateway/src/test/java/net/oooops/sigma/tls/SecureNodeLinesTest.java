package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.NodeTlsConfig.Trust;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Why a node isn't trusted is said. */
@Isolated("log lines")
class SecureNodeLinesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @Test
    void whoeverIsNotTrustedGetsNoRequest() throws IOException {
        Certificates certificates = new Certificates(dir);
        Trust trust = new Trust(null, List.of(certificates.authority().getCertificate()), List.of(), false);
        NodeTlsConfig tls = new NodeTlsConfig(
                trust, "orders.internal", null, Version.TLS_1_2, TlsConfig.CIPHERS_DEFAULT, List.of(), "/ssl");
        SecureNode node = new SecureNode(certificates.issued("other.internal"), null);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withWrapping(node), request -> Answer.ok("yes"));
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).nodeTls(tls).start();
                LoggedLines log = new LoggedLines(Worker.class);
                RawClient client = gateway.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(502);
            assertThat(gateway.faults(Fault.TLS_FAILED)).isEqualTo(1);
            assertThat(upstream.requestCount()).isZero();
            Await.until("it is said", () -> !log.lines().isEmpty());
            assertThat(log.lines().getFirst())
                    .contains(
                            "TLS_FAILED (the certificate of CN=other.internal, issued by CN=authority, isn't trusted: ")
                    .contains("orders.internal");
        }
    }
}
