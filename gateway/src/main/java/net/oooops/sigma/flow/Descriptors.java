package net.oooops.sigma.flow;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many file descriptors the process may have, and which part of them is for what. */
final class Descriptors {
    /** For files, libraries, listening sockets, event loops. */
    private static final int RESERVED = 512;

    private static final int UNKNOWN = 65_536;
    private static final int ALL = all();

    private Descriptors() {}

    private static int all() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
            long most = unix.getMaxFileDescriptorCount();
            return most <= 0 ? UNKNOWN : (int) Math.min(most, Integer.MAX_VALUE);
        }
        return UNKNOWN;
    }

    /** How many connections to nodes there may be: as many as clients may have. */
    static int ofNodes() {
        return Math.max(1, (ALL - RESERVED) / 2);
    }
}
