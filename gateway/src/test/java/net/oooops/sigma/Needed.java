package net.oooops.sigma;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.listen.SocketTransport;
import org.jspecify.annotations.Nullable;

/**
 * What a test needs of the machine it runs on. Where it isn't there the test is left out, but with {@code SIGMA_CI} set, as by
 * {@code .ci/run}, it fails: a run that is to prove something proves all of it.
 */
public final class Needed {
    private static final boolean CI = System.getenv("SIGMA_CI") != null;
    private static final String SYSTEM = System.getProperty("os.name", "");

    private Needed() {}

    /** This transport; one that another system has is left out everywhere else. */
    public static void transport(Transport transport) {
        transport(transport, whyNot(transport), SYSTEM, CI);
    }

    /** Something else, which is there or not; named with where it is to be had. */
    public static void here(boolean there, String what) {
        here(there, what, CI);
    }

    static void transport(Transport transport, @Nullable String whyNot, String system, boolean ci) {
        here(whyNot == null, transport + " works here (" + whyNot + ")", ci && isOf(system, transport));
    }

    static void here(boolean there, String what, boolean ci) {
        if (ci && !there) {
            throw new AssertionError(what + ": not so (expected where SIGMA_CI is set)");
        }
        assumeTrue(there, what);
    }

    private static @Nullable String whyNot(Transport transport) {
        try {
            SocketTransport.choose(transport);
            return null;
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static boolean isOf(String system, Transport transport) {
        return switch (transport) {
            case IO_URING, EPOLL -> system.startsWith("Linux");
            case KQUEUE -> system.startsWith("Mac");
            case NIO, AUTO -> true;
        };
    }
}
