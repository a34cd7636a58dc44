package net.oooops.sigma.cli;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import net.oooops.sigma.control.socket.DrainingProcess;
import net.oooops.sigma.control.socket.LivingProcess;
import net.oooops.sigma.control.socket.RunFolder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes that have followed each other by upgrades. Those whose place was taken, and that drain still, say so by files of the run folder: by
 * these the one that serves knows of them, also where it wasn't the one to take their place.
 *
 * <p>Any thread.
 */
final class Succession {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(Succession.class);

    private final RunFolder folder;
    private final DrainingProcess.Whose own;
    /** This process, as long as it drains. */
    private @Nullable DrainingProcess said;

    private long nextLookNanos;

    /**
     * As a process that begins.
     *
     * @param first of these processes, as the one before has it; null where there is none
     */
    Succession(RunFolder folder, @Nullable String first, String version) {
        ProcessHandle process = ProcessHandle.current();
        String started = process.info().startInstant().orElseGet(Instant::now).toString();
        this.folder = folder;
        this.own = new DrainingProcess.Whose(
                process.pid(), started, version, first == null ? process.pid() + " " + started : first);
    }

    /** The first of these processes: the same for all of them. */
    String first() {
        return own.first();
    }

    /** Those of them that drain, without this one. */
    List<DrainingProcess> others() {
        return DrainingProcess.in(folder).stream()
                .filter(each -> each.whose().first().equals(own.first()) && each.pid() != own.pid())
                .toList();
    }

    /**
     * Another process has taken this one's place.
     *
     * @param connections that are left
     * @param limit how long they may take to end
     */
    synchronized void begin(long connections, Duration limit) {
        Instant now = Instant.now();
        nextLookNanos = System.nanoTime() + LOOK_NANOS;
        say(new DrainingProcess(own, now, now.plus(limit), connections));
    }

    /**
     * The same, as it stands now; to be called often.
     *
     * @param connections asked for where it is time to say it
     * @param limit how long they may take to end, all in all
     */
    synchronized void look(LongSupplier connections, Duration limit) {
        DrainingProcess before = said;
        if (before == null || System.nanoTime() - nextLookNanos < 0) {
            return;
        }
        nextLookNanos = System.nanoTime() + LOOK_NANOS;
        DrainingProcess now =
                new DrainingProcess(own, before.since(), before.since().plus(limit), connections.getAsLong());
        if (!now.equals(before) || !now.isWritten(folder)) {
            say(now);
        }
    }

    private void say(DrainingProcess now) {
        boolean first = said == null;
        said = now;
        try {
            now.write(folder);
        } catch (IOException e) {
            if (first) {
                LOG.warn("`sigma status` won't show that this process drains: {}", e.toString());
            }
        }
    }

    /** It drains no more: it ends, or serves again. */
    synchronized void end() {
        DrainingProcess before = said;
        said = null;
        if (before != null) {
            try {
                before.takeAway(folder);
            } catch (IOException e) {
                LOG.debug("the file that says that this process drains stays there", e);
            }
        }
    }

    /** Has those end that were there before this one, within the time that they have for a stop. */
    void stopOthers() {
        try {
            before().forEach(ProcessHandle::destroy);
        } catch (RuntimeException e) {
            // This process is about to drain, whatever becomes of those.
            LOG.warn("processes that were there before this one aren't told to end", e);
        }
    }

    /** Waits until these have ended. */
    void awaitOthers(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        List<ProcessHandle> all = before();
        while (System.nanoTime() - deadline < 0 && all.stream().anyMatch(LivingProcess::isAlive)) {
            LockSupport.parkNanos(this, POLL_NANOS);
        }
    }

    /** Those of them that were there before this one: where it drains, too, they have drained for longer. */
    private List<ProcessHandle> before() {
        DrainingProcess now;
        synchronized (this) {
            now = said;
        }
        return others().stream()
                .filter(each -> now == null || each.since().isBefore(now.since()))
                .flatMap(each -> each.process().stream())
                .toList();
    }
}
