package net.oooops.sigma.memory;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * File descriptors, of which each connection takes one: whether a failure comes from there being none left, and what to say then; and how
 * those that the process may have are parted, so that no part can take what another one needs: clients of HTTP share few connections to nodes, each
 * of TCP has one.
 *
 * <pre>
 *   all (ulimit -n) ─┬▶ reserve: files, listening sockets, event loops, admin, health checks, reloads
 *                    └▶ the rest ─┬▶ seven eighths at most: connections of clients
 *                                 └▶ half at most: connections to nodes ─▶ at most half of these: sessions of UDP
 * </pre>
 *
 * <p>Any thread.
 */
public final class Descriptors {
    /** EMFILE of Linux and the BSDs, as Netty has errors: negative. */
    private static final int OF_PROCESS = -24;
    /** ENFILE. */
    private static final int OF_SYSTEM = -23;

    /** How the JDK tells of both: in the words of the system alone. */
    private static final String MESSAGE = "Too many open files";

    private static final String MESSAGE_OF_SYSTEM = "Too many open files in system";

    private static final int CAUSES_MAX = 8;
    private static final int LIMITS_BYTES_MAX = 4096;
    private static final String LIMIT = "\nMax open files ";

    /** As an error of Sigma's own: those are all positive. */
    private static final int OF_PART = 1;

    /** For files, libraries, listening sockets, event loops: an eighth of all, at least so many, and at most half. */
    private static final int RESERVED_MIN = 512;

    private static final int RESERVED_PART = 8;

    /** Where the system has no such limit, or tells it nobody. */
    private static final int UNKNOWN = 65_536;

    /** A connection more would be one too many for its part. */
    private static final class NoRoom extends IOException {
        private static final long serialVersionUID = 1;

        private final int there;

        private NoRoom(String message, int there) {
            super(message);
            this.there = there;
        }

        /** Nobody is at fault: it is thrown nowhere, and made for each connection that there is no room for. */
        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** Linux writes it anew at each reading; null elsewhere, and where /proc isn't there. */
    private static final @Nullable RandomAccessFile LIMITS = open("/proc/self/limits");

    private Descriptors() {}

    /** To be called at start: asking for the limit takes a descriptor too, and one is kept for that. */
    public static void prepare() {
        // Done when this class was loaded.
    }

    private static @Nullable RandomAccessFile open(String file) {
        try {
            return new RandomAccessFile(file, "r");
        } catch (IOException _) {
            return null;
        }
    }

    /** Whether there were no descriptors left, of the process or of the whole system. */
    public static boolean areOut(@Nullable Throwable failure) {
        return errorOf(failure) != 0;
    }

    private static int errorOf(@Nullable Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
            int error = errorOf((Object) cause, cause.getMessage());
            if (error != 0) {
                return error;
            }
            cause = cause.getCause();
        }
        return 0;
    }

    private static int errorOf(Object cause, @Nullable String message) {
        if (cause instanceof NoRoom) {
            return OF_PART;
        }
        if (cause instanceof NativeIoException known) {
            int error = known.expectedErr();
            return error == OF_PROCESS || error == OF_SYSTEM ? error : 0;
        }
        if (message == null || !(cause instanceof IOException)) {
            return 0;
        }
        return message.equals(MESSAGE_OF_SYSTEM) ? OF_SYSTEM : message.equals(MESSAGE) ? OF_PROCESS : 0;
    }

    /** What to tell an operator of a failure that is one of these: which limit is reached, and what it is. */
    public static String text(Throwable failure) {
        if (failure instanceof NoRoom full) {
            return text("connections to nodes", full.there);
        }
        int error = errorOf(failure);
        if (error == OF_SYSTEM) {
            return "out of file descriptors: all of the system's are open (fs.file-max)";
        }
        // The process has none left: all that it may have are open.
        int limit = limit();
        return limit <= 0
                ? "out of file descriptors: all that the process may have are open (ulimit -n)"
                : "out of file descriptors: " + limit + " open of " + limit + " (ulimit -n)";
    }

    /** What to tell an operator where a part is used up, or all that is left for it. */
    public static String text(String those, int there) {
        return "out of file descriptors: " + there + " " + those + ", the part that they may take of " + all()
                + " (ulimit -n)";
    }

    /** That a connection to a node would be one too many for their part, of which there are so many. */
    public static IOException noRoom(int there) {
        return new NoRoom("no file descriptor for another connection to a node", there);
    }

    /** How many the process may have. */
    public static int all() {
        int limit = limit();
        return limit <= 0 ? UNKNOWN : limit;
    }

    /** How many connections there may be, of clients and to nodes. */
    public static int ofConnections() {
        return ofConnections(all());
    }

    /** The same where the process may have so many. */
    public static int ofConnections(int all) {
        return Math.max(2, all - reserve(all));
    }

    /** How many connections of clients there may be, where there are few to nodes. */
    public static int ofClients() {
        return ofClients(all());
    }

    /** The same where the process may have so many. */
    public static int ofClients(int all) {
        int connections = ofConnections(all);
        return connections - Math.max(1, connections / 8);
    }

    private static int reserve(int all) {
        return Math.min(Math.max(RESERVED_MIN, all / RESERVED_PART), all / 2);
    }

    /** How many connections to all nodes together there may be: as many as there are of clients then, if each of these has one. */
    public static int ofNodes() {
        return ofNodes(all());
    }

    /** The same where the process may have so many. */
    public static int ofNodes(int all) {
        return Math.max(1, ofConnections(all) / 2);
    }

    /** How many sessions of UDP there may be, each of which has a socket to a node: whoever can send datagrams from many addresses leaves other roads theirs. */
    public static int ofSessions() {
        return ofSessions(all());
    }

    /** The same where the process may have so many. */
    public static int ofSessions(int all) {
        return Math.max(1, ofNodes(all) / 2);
    }

    /**
     * How many connections may be accepted at once by one of several who do: those that there is no room for are closed later, and take from the reserve until then.
     *
     * @param most where there are plenty
     */
    public static int atOnce(int most) {
        int shared = 4 * Runtime.getRuntime().availableProcessors();
        return Math.clamp(reserve(all()) / shared, 1, most);
    }

    /** Not positive where it isn't known. */
    private static int limit() {
        String written = written();
        return written == null ? asked() : clamped(Long.parseLong(written));
    }

    private static int clamped(long limit) {
        return (int) Math.min(limit, Integer.MAX_VALUE);
    }

    /** The same as the JVM has it: takes no file, but longer to be there at first. */
    static int asked() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? clamped(unix.getMaxFileDescriptorCount())
                : 0;
    }

    /** The first of both numbers in the line of such a file, or null. */
    static @Nullable String limit(String limits) {
        int line = limits.indexOf(LIMIT);
        if (line < 0) {
            return null;
        }
        String numbers = limits.substring(line + LIMIT.length()).stripLeading();
        int end = 0;
        while (end < numbers.length() && numbers.charAt(end) >= '0' && numbers.charAt(end) <= '9') {
            end++;
        }
        return end == 0 ? null : numbers.substring(0, end);
    }

    private static @Nullable String written() {
        if (LIMITS == null) {
            return null;
        }
        byte[] bytes = new byte[LIMITS_BYTES_MAX];
        try {
            LIMITS.seek(0);
            int count = Math.max(0, LIMITS.read(bytes));
            return limit(new String(bytes, 0, count, StandardCharsets.US_ASCII));
        } catch (IOException _) {
            return null;
        }
    }
}
