package net.oooops.sigma.acme;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.config.AcmeConfig.Binding;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Accounts that an issuer binds to those that it has already, and what is logged of their keys. */
@Tag("long")
@Isolated("the log")
class PebbleAccountTest extends PebbleFixture {
    /** As with ZeroSSL and Google. Their keys are longer than what they are used with needs. */
    @Test
    void anAccountIsBoundToTheOneThatThereIsWithTheIssuer() throws Exception {
        String key = "c2VjcmV0".repeat(11).substring(0, 86);
        Path file = Files.writeString(dir.resolve("eab.key"), key + "\n");
        pebble.binding("kid-1", key).start();
        X509Certificate first;
        try (LoggedLines log = new LoggedLines("net.oooops.sigma");
                AskingGateway gateway =
                        AskingGateway.startBound(pebble, gates, folder, new Binding("kid-1", file), HOST)) {
            first = gateway.awaitShown(HOST, null);
            assertThat(gateway.count(Counter.ACME_FAILURES)).isZero();
            assertThat(log.lines()).isNotEmpty().noneMatch(line -> line.contains(key));
        }
        PebbleTest.assertSecret(folder);
        // Whoever has an account doesn't show the key again, which may be used up by then.
        Files.writeString(file, "AAAA".repeat(20));
        try (AskingGateway gateway =
                AskingGateway.startBound(pebble, gates, folder, new Binding("kid-1", file), "b.sigma.test")) {
            gateway.awaitShown("b.sigma.test", first);
        }
    }

    @Test
    void whatIsWrongWithThatAccountIsSaidWithoutItsKey() throws Exception {
        String key = "AAAA".repeat(20);
        Path file = Files.writeString(dir.resolve("eab.key"), key);
        pebble.binding("kid-1", "c2VjcmV0".repeat(8)).start();
        try (LoggedLines log = new LoggedLines("net.oooops.sigma")) {
            try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, null, HOST)) {
                gateway.awaitCount(Counter.ACME_FAILURES, 1);
                awaitLine(log, "\"eab-key-id\" and \"eab-key-file\" say which account with it is meant");
            }
            try (AskingGateway gateway =
                    AskingGateway.startBound(pebble, gates, folder, new Binding("kid-1", file), HOST)) {
                gateway.awaitCount(Counter.ACME_FAILURES, 1);
                awaitLine(log, "external account binding JWS verification error");
            }
            assertThat(log.lines()).noneMatch(line -> line.contains(key));
        }
    }

    private static void awaitLine(LoggedLines log, String words) {
        Await.value(
                "a line of the log",
                Await.DEADLINE,
                log::lines,
                lines -> lines.stream().anyMatch(line -> line.contains(words)));
    }
}
