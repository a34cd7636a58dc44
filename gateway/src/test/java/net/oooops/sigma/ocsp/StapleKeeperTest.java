package net.oooops.sigma.ocsp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.OpenSsl;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.Needed;
import net.oooops.sigma.certificate.OcspSigner;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.Staples;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Responses follow another configuration: what is known of a certificate is shown by whoever shows it. */
@Isolated("threads of the process")
class StapleKeeperTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);

    @SuppressWarnings("NullAway.Init")
    private OpensslResponder responder;

    @SuppressWarnings("NullAway.Init")
    private Shown shown;

    @BeforeEach
    void prepare() throws IOException {
        OpensslResponder.needed();
        Needed.here(OpenSsl.isAvailable(), "BoringSSL encrypts");
        Certificates certificates = new Certificates(dir);
        X509Bundle issuer = certificates.intermediate();
        responder = new OpensslResponder(dir, issuer);
        X509Bundle issued = Certificates.issued(OcspSigner.naming(responder.url(), "a.example"), issuer);
        responder.good(issued.getCertificate()).start(60);
        shown = certificates.shown(issued);
    }

    @AfterEach
    void end() {
        responder.close();
    }

    private ServerTls stapling() {
        return new ServerTls(Certificates.stapled(null, shown));
    }

    private long count(Counter counter) {
        return new CountersView(List.of(counters)).snapshot().count(counter);
    }

    @Test
    void whatIsKnownStaysWhoeverShowsTheCertificate() {
        ServerTls first = stapling();
        ServerTls second = stapling();
        try (StapleKeeper keeper = StapleKeeper.start(List.of(first), counters)) {
            Await.until("stapled", () -> Staples.isShown(first));
            for (int i = 0; i < 1000; i++) {
                keeper.follow(List.of(first));
            }
            assertThat(Staples.isShown(second)).isFalse();
            keeper.follow(List.of(second));
            assertThat(Staples.isShown(second)).as("when it returns").isTrue();
            assertThat(count(Counter.OCSP_RESPONSES)).isEqualTo(1);
            assertThat(threads()).isEqualTo(1);
            keeper.follow(List.of());
            ServerTls third = stapling();
            keeper.follow(List.of(third));
            Await.until("asked for anew", () -> Staples.isShown(third));
            assertThat(count(Counter.OCSP_RESPONSES)).isEqualTo(2);
            third.close();
        } finally {
            first.close();
            second.close();
        }
        assertThat(threads()).isZero();
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("sigma-ocsp"))
                .count();
    }
}
