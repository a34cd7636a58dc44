package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.oidc.Renewals.End;
import net.oooops.sigma.plugins.authentication.oidc.Renewals.Renewal;
import org.junit.jupiter.api.Test;

/** For how long it holds what came of a renewal. */
class RenewalMemoryTest {
    private final RenewalMemory memory = RenewalMemory.of("RenewalMemoryTest");

    private boolean isRemembered(End end, long secondsAgo) {
        Digest key = Digest.of((end + " " + secondsAgo).getBytes(StandardCharsets.UTF_8));
        CompletableFuture<Renewal> own = new CompletableFuture<>();
        assertThat(memory.begin(key, own)).isNull();
        memory.end(key, own, new Renewal(end, null, System.nanoTime() - TimeUnit.SECONDS.toNanos(secondsAgo)));
        return memory.last(key) != null;
    }

    /** What a provider said holds longer than that it didn't say anything. */
    @Test
    void aProviderThatDidNotAnswerIsAskedAgainSoon() {
        assertThat(isRemembered(End.UNKNOWN, 0)).isTrue();
        assertThat(isRemembered(End.UNKNOWN, 2)).isFalse();
        assertThat(isRemembered(End.OVER, 2)).isTrue();
        assertThat(isRemembered(End.OVER, 61)).isFalse();
    }
}
