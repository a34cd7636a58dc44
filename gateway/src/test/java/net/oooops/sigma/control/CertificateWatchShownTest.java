package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.tls.Renewable;
import org.junit.jupiter.api.Test;

/** What is told of certificates that are watched. */
class CertificateWatchShownTest {
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    /** A file that is read for two things, as a certificate and as authorities of clients': what is worst of both is told. */
    @Test
    void aFileThatIsUsedTwiceShowsTheWorst() {
        Instant end = now.plus(80, ChronoUnit.DAYS);
        Instant earlier = now.plus(40, ChronoUnit.DAYS);
        List<Renewable> good = List.of(new OfOneFile(end, false), new OfOneFile(end, false));
        List<Renewable> wrong = List.of(new OfOneFile(end, false), new OfOneFile(earlier, true));
        for (List<Renewable> each : List.of(good, wrong, wrong.reversed())) {
            CertificateWatch watch = CertificateWatch.of(List.of(
                    new CertificateWatch.Owner(Sources.CertificateOwner.LISTENER, "web", new Object(), each, false)));
            watch.look(now);
            boolean isGood = each.equals(good);
            assertThat(watch.shown())
                    .containsExactly(new Sources.Certificate(
                            Sources.CertificateOwner.LISTENER, "web", "a.pem", isGood ? end : earlier, !isGood));
        }
    }

    /** What is read from a.pem. */
    private record OfOneFile(Instant notAfter, boolean wrong) implements Renewable {
        @Override
        public List<Path> files() {
            return List.of(file());
        }

        @Override
        public Path file() {
            return Path.of("a.pem");
        }

        @Override
        public String what() {
            return "certificate";
        }

        @Override
        public boolean renew() {
            if (wrong) {
                throw new IllegalStateException("for a test");
            }
            return false;
        }
    }
}
