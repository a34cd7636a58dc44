package net.oooops.sigma.plugins.authentication.oidc;

import java.util.concurrent.ConcurrentHashMap;
import net.oooops.sigma.plugins.authentication.BoundedWork;

/**
 * Requests that wait for providers. Each provider has places of its own, however many places of sigma.json name it: where some of them hang, those who wait
 * for another one have as many as before. Safe for use from any thread.
 */
final class WaitingPlaces {
    /** What each provider has at least, however many there are. */
    static final int EACH_MIN = 100;

    /** By issuers. */
    private static final ConcurrentHashMap<String, WaitingPlaces> ALL = new ConcurrentHashMap<>();

    private final BoundedWork work = BoundedWork.upTo(WaitingPlaces::each, WaitingPlaces::perClient);
    /** Changed in one step with whether it is there. */
    private int usersCount;

    private WaitingPlaces() {}

    /** Those of that provider, for one more who is to {@link #end} it. */
    static WaitingPlaces begin(String issuer) {
        return ALL.compute(issuer, (key, there) -> {
            WaitingPlaces found = there == null ? new WaitingPlaces() : there;
            found.usersCount++;
            return found;
        });
    }

    /** One less has those of that provider. */
    static void end(String issuer) {
        ALL.computeIfPresent(issuer, (key, there) -> {
            there.usersCount--;
            return there.usersCount == 0 ? null : there;
        });
    }

    /** How many each provider has now: a part of all, as large as that of any other. */
    static int each() {
        return Math.max(EACH_MIN, BoundedWork.WAITING_MAX / Math.max(1, ALL.size()));
    }

    private static int perClient() {
        return Math.min(BoundedWork.WAITING_PER_CLIENT_MAX, each() / 2);
    }

    /** Lets in, and out. */
    BoundedWork work() {
        return work;
    }
}
