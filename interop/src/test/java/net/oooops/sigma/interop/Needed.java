package net.oooops.sigma.interop;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a test needs of the machine it runs on. Where it isn't there the test is left out, but with {@code SIGMA_CI} set, as by {@code .ci/run},
 * it fails: a run that is to prove something proves all of it. The gateway's tests have one of their own, whose classes can't be seen here.
 */
final class Needed {
    private static final boolean CI = System.getenv("SIGMA_CI") != null;

    private Needed() {}

    /** Something that is there or not; named with where it is to be had. */
    static void here(boolean there, String what) {
        here(there, what, CI);
    }

    static void here(boolean there, String what, boolean ci) {
        if (ci && !there) {
            throw new AssertionError(what + ": not so (expected where SIGMA_CI is set)");
        }
        assumeTrue(there, what);
    }
}
