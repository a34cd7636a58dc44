package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.Handover;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.systemd.Systemd;
import net.oooops.sigma.control.upgrade.Successor;
import net.oooops.sigma.control.upgrade.Successor.State;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.observe.HiddenTexts;
import net.oooops.sigma.snapshot.Left;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a new process, most likely of a new version, take the place of this one: it is started with the same words, gets the sockets, and once it serves this one ends. Where
 * it comes to nothing, all is as it was. Whatever comes of it is in the log, whoever asked.
 *
 * <p>Any thread; it waits. One at a time.
 */
final class Upgrading {
    /** Within which the new process has to serve, where nothing else is said. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    /** For what is left to do before the new process serves, however late it is. */
    private static final Duration SERVING = Duration.ofSeconds(10);

    /** For how long a process that serves is watched at least. */
    static final Duration PROBATION = Duration.ofSeconds(5);

    /** What the launcher is called by, as the launcher says; this JVM's own command line where there is none. */
    static final String LAUNCHER = "sigma.launcher";

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Path OWN_COMMAND = Path.of("/proc/self/cmdline");

    private static final Logger LOG = LoggerFactory.getLogger(Upgrading.class);

    private final Gateway gateway;
    private final Parts parts;
    private final Semaphore free = new Semaphore(1);
    private final AtomicInteger begun = new AtomicInteger();
    private volatile boolean ending;
    private volatile @Nullable Successor successor;
    /** The same, as long as a stop may end it: who takes it away ends it, or lets it serve. */
    private final AtomicReference<@Nullable Successor> endable = new AtomicReference<>();

    private volatile @Nullable Handover handover;

    /**
     * What it takes.
     *
     * @param words that this process was started with
     * @param folder in which both processes meet
     * @param steering let go of with the gateway
     * @param succession told once this process drains
     * @param rolledBack whether another configuration holds than that of the files, which the other process reads
     * @param served called once another process serves
     */
    record Parts(
            RunWords words,
            RunFolder folder,
            Steering steering,
            Succession succession,
            BooleanSupplier rolledBack,
            Runnable served) {}

    Upgrading(Gateway gateway, Parts parts) {
        this.gateway = gateway;
        this.parts = parts;
    }

    /**
     * What an upgrade did.
     *
     * @param pid of the process that serves now
     * @param version of its Sigma
     * @param warnings what is probably not meant
     */
    record Done(long pid, String version, List<String> warnings) {
        Done {
            warnings = List.copyOf(warnings);
        }

        String text() {
            StringBuilder text = new StringBuilder();
            warnings.forEach(each -> text.append("warning: ").append(each).append('\n'));
            return text.append(served()).append('\n').toString();
        }

        private String served() {
            return "pid " + pid + " serves (sigma " + version + "); pid "
                    + ProcessHandle.current().pid() + " ends what it has begun";
        }

        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("pid", pid);
            json.put("version", version);
            json.put("before", ProcessHandle.current().pid());
            json.put("warnings", warnings);
            return json;
        }
    }

    /**
     * Does it.
     *
     * @param who asks for it
     * @param launcher of the new version; null: the one that this process was started by
     * @param limit within which the new process has to serve
     * @throws Failure where all is as it was
     */
    Done upgrade(String who, @Nullable String launcher, Duration limit) throws Failure {
        if (ending) {
            throw new Failure(Exit.PROBLEMS, "the gateway is stopping");
        }
        if (!free.tryAcquire()) {
            throw new Failure(Exit.PROBLEMS, "an upgrade is under way (expected: one at a time)");
        }
        begun.incrementAndGet();
        try {
            Done done = begin(command(launcher), System.nanoTime() + limit.toNanos());
            LOG.info("{} asked for an upgrade: {}", who, done.served());
            done.warnings().forEach(each -> LOG.warn("{} asked for an upgrade: {}", who, each));
            parts.served().run();
            return done;
        } catch (StartException e) {
            LOG.error("{} asked for an upgrade, and all stays as it was: {}", who, e.getMessage());
            throw new Failure(Exit.PROBLEMS, String.valueOf(e.getMessage()));
        } catch (Failure e) {
            LOG.error("{} asked for an upgrade, and all stays as it was: {}", who, e.text());
            throw e;
        } catch (RuntimeException | Error e) {
            LOG.error("{} asked for an upgrade, which failed", who, e);
            throw new Failure(Exit.PROBLEMS, HiddenTexts.hide("the upgrade failed: " + e));
        } finally {
            free.release();
        }
    }

    private List<String> command(@Nullable String launcher) throws Failure {
        if (handover != null) {
            throw new Failure(Exit.PROBLEMS, "another process serves already");
        }
        if (ProcessHandle.current().pid() == 1) {
            throw new Failure(
                    Exit.PROBLEMS,
                    "this is process 1, with which its container ends (expected: another container in its place)");
        }
        if (parts.words().conf().contains(Path.of(Conf.INPUT))) {
            throw new Failure(
                    Exit.PROBLEMS,
                    "the configuration came from standard input, and can't be read a second time (expected: a file)");
        }
        if (parts.words().conf().isEmpty() && parts.words().first().isEmpty()) {
            throw new Failure(Exit.PROBLEMS, "the configuration is built in (expected: sigma run -conf FILE)");
        }
        String by = launcher == null ? System.getProperty(LAUNCHER) : launcher;
        if (by == null) {
            return ownCommand();
        }
        List<String> command = new ArrayList<>(List.of(by));
        command.addAll(parts.words().words());
        return command;
    }

    /** As the system has it. The JDK says nothing of long ones. */
    private static List<String> ownCommand() throws Failure {
        try {
            return List.of(Files.readString(OWN_COMMAND).split("\0"));
        } catch (IOException e) {
            throw new Failure(
                    Exit.PROBLEMS,
                    "the command line of this process isn't known (expected: to be asked by ./sigma upgrade)");
        }
    }

    private Done begin(List<String> command, long deadline) throws StartException {
        requireWanted();
        List<PassedSocket> sockets = new ArrayList<>();
        Handover begun = gateway.handOver(sockets::addAll);
        Successor next = null;
        boolean served = false;
        boolean letGo = false;
        try {
            // Before the other one waits for it.
            List<Left> leaving = gateway.left();
            next = Successor.start(parts.folder(), command, left(deadline), () -> ending);
            successor = next;
            endable.set(next);
            requireWanted();
            next.pass(sockets, parts.succession().first(), leaving);
            next.awaitReady(left(deadline));
            if (!endable.compareAndSet(next, null)) {
                throw stopping();
            }
            letGo = true;
            begun.letGo();
            parts.steering().letGo();
            Duration left = left(deadline);
            next.letServe(left.compareTo(SERVING) < 0 ? SERVING : left, gateway.steered(), gateway.answers());
            served = true;
            // Before whoever asked is told: the next who connects gets the new one.
            begun.leave();
            handover = begun;
            parts.succession().begin(gateway.connectionCount(), gateway.drainOfUpgrade());
            return new Done(next.pid(), next.version(), warnings(next));
        } finally {
            if (!served) {
                if (next != null) {
                    next.endAndWait();
                    next.close();
                }
                successor = null;
                endable.set(null);
                undo(begun, letGo);
            }
        }
    }

    private List<String> warnings(Successor next) {
        List<String> warnings = new ArrayList<>();
        // A rollback is of this process alone.
        if (parts.rolledBack().getAsBoolean()) {
            warnings.add("the configuration that was rolled back to holds no more: pid " + next.pid()
                    + " has what the files of configuration say");
        }
        String unreachable = next.unreachable();
        if (unreachable != null) {
            warnings.add("`sigma status` and others can't reach pid " + next.pid() + ", which tries again by itself: "
                    + unreachable);
        }
        return warnings;
    }

    private void requireWanted() throws StartException {
        if (ending) {
            throw stopping();
        }
    }

    private static StartException stopping() {
        return new StartException("the gateway is stopping", new IllegalStateException("stopping"));
    }

    private void undo(Handover begun, boolean letGo) {
        if (letGo) {
            begun.takeBack(gateway.config());
            parts.steering().takeBack();
        } else {
            begun.abandon();
        }
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
    }

    /** Waits until none is under way; gives how many have begun. */
    int awaitNone() {
        while (free.availablePermits() == 0) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return begun.get();
    }

    /** Whether another process serves, so that this one ends. */
    boolean isOver() {
        return handover != null;
    }

    /**
     * Ends what this process has begun, after another one serves.
     *
     * @param ending how long that may take
     * @param systemd told that the other process is the service now
     * @return whether this one may end; else the other one has ended, and this one serves again
     */
    boolean drain(Ending ending, Systemd systemd) {
        Handover begun = handover;
        Successor next = successor;
        if (begun == null || next == null || begun.drain(watch(next, ending, systemd))) {
            return true;
        }
        LOG.error("pid {}, which had taken the place of this process, has ended: this one serves again", next.pid());
        next.endAndWait();
        // Before this one takes requests again.
        if (!next.takeWords(gateway.steered())) {
            LOG.warn(
                    "what operators told that process isn't known here, such as nodes that it drained: `sigma status` says what holds");
        }
        next.close();
        successor = null;
        handover = null;
        undo(begun, true);
        systemd.mainProcess(ProcessHandle.current().pid());
        return false;
    }

    private Handover.Watch watch(Successor next, Ending ending, Systemd systemd) {
        Duration lastCall = gateway.drain();
        return new Handover.Watch() {
            @Override
            public Handover.Other other() {
                return switch (next.state()) {
                    case SERVES -> Handover.Other.SERVES;
                    case REPLACED, STOPPED -> Handover.Other.DONE;
                    case GONE -> Handover.Other.GONE;
                };
            }

            @Override
            public Duration probation() {
                State state = next.state();
                return state == State.REPLACED || state == State.STOPPED ? Duration.ZERO : PROBATION;
            }

            @Override
            public void proven() {
                systemd.mainProcess(next.pid());
            }

            @Override
            public Duration limit() {
                return ending.limit(next.state() == State.STOPPED);
            }

            @Override
            public Duration lastCall() {
                return lastCall;
            }
        };
    }

    /** How long it may take to end what was begun. */
    @FunctionalInterface
    interface Ending {
        /**
         * As it is now: it is asked again and again.
         *
         * @param stopped whether the process that serves was told to stop
         */
        Duration limit(boolean stopped);
    }

    /** The gateway is to end: an upgrade that is under way comes to nothing. Waits for that. */
    void end() {
        ending = true;
        // Who may serve already is left alone: it may have accepted.
        Successor next = endable.getAndSet(null);
        if (next != null) {
            next.end();
        }
        free.acquireUninterruptibly();
    }
}
