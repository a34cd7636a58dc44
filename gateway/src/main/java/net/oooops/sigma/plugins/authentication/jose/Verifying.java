package net.oooops.sigma.plugins.authentication.jose;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.plugins.authentication.Overload;

/**
 * What tokens may wait for, for all places of sigma.json together: signatures that take long to verify, and keys that are being fetched. Safe for use
 * from any thread.
 */
public final class Verifying {
    /** Signatures that are verified or wait for it. */
    public static final BoundedWork SIGNATURES = BoundedWork.ofAllPlaces();

    /** Where that is done. */
    public static final Executor THREADS = BoundedWork.onHalfOfTheCores("sigma-signature-");

    /** Requests that wait for keys. */
    public static final BoundedWork KEYS = BoundedWork.ofAllPlaces();

    private Verifying() {}

    /**
     * Parks an exchange until keys are there, or turns it away.
     *
     * @param keys completes without a failure
     */
    public static Outcome park(
            CompletableFuture<Boolean> keys, IpAddress client, Overload overload, Function<Boolean, Outcome> then) {
        Outcome refusal = overload.refusal(KEYS.enter(client));
        if (refusal != null) {
            return refusal;
        }
        return Outcome.suspend(keys.thenApply(changed -> {
            KEYS.leave(client);
            return then.apply(changed);
        }));
    }
}
