package net.oooops.sigma.control.upgrade;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.Takeover;
import net.oooops.sigma.control.socket.LogLevels;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.snapshot.Left;
import net.oooops.sigma.upstream.SteeredNodes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that has started this one to take its place. Where it ends before that has happened, this one serves all the same: nobody else does then.
 *
 * <p>For the thread that starts the gateway; from {@link #serving} on another one listens, and whoever hears an operator tells it.
 */
public final class Predecessor implements Takeover, AutoCloseable {
    /** For how long it may take to let go: longer than it waits itself. */
    private static final Duration LETTING_GO = Duration.ofMinutes(5);

    /** For so long an operator waits until it is told. */
    private static final Duration TELLING = Duration.ofSeconds(1);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final Logger LOG = LoggerFactory.getLogger(Predecessor.class);

    /** Something that is said. */
    private interface Saying {
        void say() throws IOException;
    }

    private final Line line;
    private final String version;
    private final BooleanSupplier toStop;
    /** As it says. */
    private volatile @Nullable String first;

    private final List<PassedSocket> passed = new ArrayList<>();

    /** This process serves, and that one knows. */
    private final CountDownLatch served = new CountDownLatch(1);

    private final CountDownLatch over = new CountDownLatch(1);
    /** Held while something is said. */
    private final ReentrantLock speaking = new ReentrantLock();
    /** Operators have said something that it wasn't told. */
    private final AtomicBoolean untold = new AtomicBoolean();

    private Predecessor(Line line, String version, BooleanSupplier toStop) {
        this.line = line;
        this.version = version;
        this.toStop = toStop;
    }

    /**
     * The one that the environment names; null where this process was started by somebody else, or it has ended since.
     *
     * @param version of this Sigma
     * @param toStop whether this process was told to stop meanwhile
     */
    public static @Nullable Predecessor find(
            Function<String, @Nullable String> environment, String version, BooleanSupplier toStop) {
        String path = environment.apply(Said.ENVIRONMENT);
        if (path == null || path.isEmpty()) {
            return null;
        }
        try {
            return new Predecessor(Line.connect(Path.of(path)), version, toStop);
        } catch (IOException e) {
            LOG.warn(
                    "the process before this one has ended ({}): it is started as if there had been none",
                    e.getMessage());
            return null;
        }
    }

    /** The sockets come with it: that one waits for nothing but that they are taken. */
    @Override
    public List<Left> left() {
        List<Left> left = List.of();
        try {
            line.send(
                    Map.of(
                            Said.HELLO,
                            version,
                            Said.PROTOCOL,
                            Said.VERSION,
                            Said.PID,
                            ProcessHandle.current().pid()),
                    Said.SOON);
            Map<String, @Nullable Object> said = line.receive(Said.SOON);
            if (said != null && said.get(Said.FIRST) instanceof String text) {
                first = text;
            }
            if (said != null && said.get(Said.PLUGINS) instanceof List<?> plugins) {
                left = PluginWords.read(plugins);
            }
            if (said != null && said.get(Said.LISTENERS) instanceof List<?> listeners) {
                for (Object each : listeners) {
                    passed.add(PassedSocket.of(String.valueOf(each), line.taken(Said.SOON)));
                }
            }
        } catch (IOException e) {
            LOG.warn("the process before this one has passed {} sockets, then: {}", passed.size(), e.getMessage());
        }
        return left;
    }

    @Override
    public List<PassedSocket> sockets() {
        return List.copyOf(passed);
    }

    /** The first of all processes that have followed each other, once it has passed its sockets; null where it doesn't say so. */
    public @Nullable String first() {
        return first;
    }

    @Override
    public void take(Gateway gateway, Proof proof) throws StartException {
        proof.prove();
        requireWanted();
        try {
            line.send(Map.of(Said.READY, true), Said.SOON);
            Map<String, @Nullable Object> said = line.receive(LETTING_GO);
            // Null where it has ended: nobody can say it again.
            if (said != null) {
                if (!said.containsKey(Said.YOURS)) {
                    throw new StartException(
                            "the process before this one was too late with its sockets",
                            new IOException("another message than that its place is free"));
                }
                OperatorWords.hear(said, gateway.steered());
                gateway.hear(NameWords.read(said));
            }
        } catch (SocketTimeoutException e) {
            throw new StartException("the process before this one doesn't let go", e);
        } catch (IOException e) {
            LOG.warn("the process before this one has ended ({})", e.getMessage());
        }
        requireWanted();
    }

    /** Who is told to stop before it serves doesn't serve at all: then the one before does. */
    private void requireWanted() throws StartException {
        if (toStop.getAsBoolean()) {
            throw new StartException("it was told to stop", new IllegalStateException("stopping"));
        }
    }

    /**
     * Its place is taken. The line stays open as long as this process lives: by that it knows.
     *
     * @param gateway whose operators' words that one is told
     * @param unreachable why commands don't reach this process; null where they do
     */
    public void serving(Gateway gateway, @Nullable String unreachable) {
        Map<String, Object> message = new LinkedHashMap<>(OperatorWords.of(gateway.steered()));
        message.put(Said.SERVING, true);
        if (unreachable != null) {
            message.put(Said.UNREACHABLE, unreachable);
        }
        say(message);
        served.countDown();
        Thread.ofVirtual().name("sigma-before").start(() -> listen(gateway));
        tell(gateway.steered());
    }

    /**
     * What operators say from now on is told, too, once this process serves: where it is killed, that one serves again, and has to know it. To be called before
     * operators are heard.
     */
    public void follow(SteeredNodes steered) {
        steered.listen(() -> tell(steered));
        LogLevels.listen(() -> tell(steered));
    }

    /** Something was said: whoever has said it waits for this, so that no word is lost that was answered. */
    private void tell(SteeredNodes steered) {
        untold.set(true);
        tellUntold(steered, TELLING);
    }

    private void tellUntold(SteeredNodes steered, Duration limit) {
        try {
            // Before that it would be taken for the answer.
            if (served.await(limit.toNanos(), TimeUnit.NANOSECONDS)
                    && speaking.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                sayLocked(() -> tellUntoldNow(steered, limit));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellUntoldNow(SteeredNodes steered, Duration limit) throws IOException {
        if (over.getCount() > 0) {
            // As long as it hasn't taken what it was told before, it isn't told more.
            line.goOn(limit);
            // Another thread may have told it all meanwhile.
            if (untold.getAndSet(false)) {
                line.send(OperatorWords.of(steered), limit);
            }
        }
    }

    /** Says something with the lock, and gives that back. */
    private void sayLocked(Saying something) {
        try {
            something.say();
        } catch (SocketTimeoutException e) {
            // The thread that listens goes on with what was begun, until it is taken.
            LOG.trace("the process before this one doesn't listen yet");
        } catch (IOException e) {
            // It has ended first, as it may.
            LOG.debug("the process before this one has ended ({})", e.getMessage());
        } finally {
            speaking.unlock();
        }
    }

    /** Until it has ended, in whichever way. */
    private void listen(Gateway gateway) {
        try {
            while (true) {
                // Nothing that means anything here: by its end it is known that it has ended.
                line.heard();
                tellUntold(gateway.steered(), Duration.ZERO);
                LockSupport.parkNanos(POLL_NANOS);
            }
        } catch (IOException e) {
            LOG.debug("the process before this one: {}", e.getMessage());
        } finally {
            over.countDown();
        }
    }

    /**
     * Its place can't be taken.
     *
     * @param why for whoever has asked it for that
     */
    public void failed(String why) {
        say(Map.of(Said.FAILED, Objects.requireNonNullElse(why, "")));
    }

    /**
     * This process has ended what it has to do in its place, and isn't missed.
     *
     * @param upgrade whether another one serves; else all is to end
     */
    public void ended(boolean upgrade) {
        speaking.lock();
        // Where it doesn't listen now, it is told later: else it would take the end of this one for a failure.
        sayLocked(() -> line.queue(Map.of(Said.ENDED, upgrade ? Said.UPGRADE : Said.STOP), TELLING));
    }

    /** Waits until it has ended, too, after {@link #ended}. */
    public void awaitEnd(Duration limit) {
        try {
            if (!over.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.debug("the process before this one hasn't ended yet");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void say(Map<String, ?> message) {
        speaking.lock();
        sayLocked(() -> line.send(message, Said.SOON));
    }

    @Override
    public void close() {
        line.close();
    }
}
