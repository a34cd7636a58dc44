package net.oooops.sigma.names;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.names.NameResolution.Settings;
import org.jspecify.annotations.Nullable;

/**
 * A host name, for all who use it, on whichever event loops: what is known of it, and one question at a time. What was last known stays
 * in use while name servers have no answer: they don't say so, take too long, fail, or answer with an empty list.
 *
 * <pre>
 *   known ─ due, asked for ─▶ under way ─ an answer ─▶ known, for its TTL
 *                                 ├─ none ─▶ failing: as before, asked again after a pause
 *                                 └─ none in time, and nothing known ─▶ hanging: asked again by itself, after longer and longer pauses
 * </pre>
 *
 * <p>Any thread may read and ask. What changes it happens on the event loop of the {@link NameAsker}.
 */
final class HostName implements NameQuestions.Outcome {
    /**
     * What is known.
     *
     * @param dueNanos when it is to be asked for again, of {@link System#nanoTime}
     * @param failure why the last question came to nothing; null where it was answered, or none was asked
     * @param hanging whether that is since no name server answered in time, and nothing is known
     */
    record Answer(
            KnownAddresses known, long dueNanos, @Nullable Throwable failure, boolean hanging) {
        boolean isDue(long nowNanos) {
            return nowNanos - dueNanos >= 0;
        }
    }

    /** Who waits, and where it is told. */
    private record Waiting(EventLoop loop, Runnable told) {
        /** Returns whether there is nothing left to tell it. */
        private boolean tell() {
            try {
                loop.execute(told);
                return true;
            } catch (RejectedExecutionException _) {
                // Its event loop has ended, and it with that.
                return true;
            } catch (RuntimeException | Error _) {
                // Such as no memory for the task.
                return false;
            }
        }
    }

    /** Whoever couldn't be told is told after that time. */
    private static final long TOLD_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** So long requests for one that hangs are refused unasked, and it isn't asked for by itself. */
    private static final int HANGING_SECONDS_MIN = 1;

    /** The longest pause after which one that hangs is asked for by itself. */
    private static final long HANGING_SECONDS_MAX = 30;

    /** So long at least nobody asks for what is under way: the question goes on, and its end says what is kept. */
    private static final long UNDER_WAY_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

    private final NameAsker asker;
    private final String host;
    private final AtomicReference<Answer> answer =
            new AtomicReference<>(new Answer(KnownAddresses.NONE, System.nanoTime(), null, false));
    /** Nobody uses it any more: whether it can be resolved is of no interest. */
    private volatile boolean left;

    // Of the asker's event loop
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean asking;
    /** One family is there, and the rest of the answer is awaited by nobody. */
    private boolean inPart;

    private boolean failing;
    private long askedNanos;
    /** How long the next pause is after which it is asked for by itself; 0 where it isn't. */
    private long hangingSeconds;

    private @Nullable ScheduledFuture<?> again;

    HostName(NameAsker asker, String host) {
        this.asker = asker;
        this.host = host;
    }

    String host() {
        return host;
    }

    /** What is known now. */
    Answer answer() {
        Answer now = answer.get();
        return now.known().isEmpty() ? recalled(now) : now;
    }

    /** Where there was no answer yet: the last one that this process, or the one before it, has had. */
    private Answer recalled(Answer now) {
        List<InetAddress> last = asker.last().addresses(host);
        if (last.isEmpty()) {
            return now;
        }
        KnownAddresses known = KnownAddresses.NONE.next(last, System.nanoTime(), 0);
        answer.compareAndSet(now, new Answer(known, now.dueNanos(), now.failure(), false));
        return answer.get();
    }

    long absentNanosMax() {
        return asker.settings().absentNanosMax();
    }

    /**
     * Asks for it, where nobody does already, and has that event loop told when there is an answer, or none.
     *
     * @throws RejectedExecutionException where nobody is asked any more: nobody is told then
     */
    void ask(EventLoop loop, Runnable told) {
        asker.loop().execute(() -> {
            waiting.add(new Waiting(loop, told));
            if (asking && !inPart) {
                return;
            }
            if (!answer.get().isDue(System.nanoTime())) {
                // By now it has been answered.
                tell();
            } else if (!asking) {
                begin();
            }
        });
    }

    private void begin() {
        askedNanos = System.nanoTime();
        asking = true;
        inPart = false;
        Answer now = answer.get();
        if (now.hanging()) {
            // One waits for it, for a moment. The others are refused meanwhile.
            answer.compareAndSet(now, new Answer(now.known(), askedNanos + UNDER_WAY_NANOS_MAX, now.failure(), true));
        }
        try {
            if (!asker.ask(host, this)) {
                asking = false;
                tell();
            }
        } catch (RuntimeException | Error e) {
            // Else it would be under way for ever.
            onNone(e);
        }
    }

    /** One who used it does so no longer. */
    void leave() {
        asker.leave(this);
    }

    /** The last one has left. */
    void abandon() {
        left = true;
        asker.outages().forget(host);
    }

    @Override
    public void onAddresses(List<InetAddress> addresses, NameQuestions.Manner manner) {
        asking = !manner.last();
        inPart = asking;
        hangingSeconds = 0;
        try {
            learn(addresses, manner);
        } finally {
            // Whatever was thrown, they wait for nothing else.
            tell();
        }
    }

    private void learn(List<InetAddress> addresses, NameQuestions.Manner manner) {
        Settings settings = asker.settings();
        long now = System.nanoTime();
        KnownAddresses before = answer().known();
        List<InetAddress> all = manner.last() ? addresses : withOtherFamily(addresses, before);
        KnownAddresses known = before.next(all, now, settings.absentNanosMax());
        long seconds = Math.clamp(manner.ttlSeconds(), settings.ttlSecondsMin(), settings.ttlSecondsMax());
        long keptNanos = TimeUnit.SECONDS.toNanos(seconds);
        long waitedNanos = manner.last() ? keptNanos : Math.max(keptNanos, UNDER_WAY_NANOS_MAX);
        answer.set(new Answer(known, now + waitedNanos, null, false));
        if (manner.real()) {
            asker.last().learnt(host, known.all());
        }
        if (failing) {
            failing = false;
            asker.outages().answered(host);
        }
    }

    /** What of the other family is late stays as it was until it comes. */
    private static List<InetAddress> withOtherFamily(List<InetAddress> some, KnownAddresses before) {
        Set<Class<?>> families = new HashSet<>();
        some.forEach(each -> families.add(each.getClass()));
        List<InetAddress> all = new ArrayList<>(some);
        for (InetAddress each : before.all()) {
            if (!families.contains(each.getClass())) {
                all.add(each);
            }
        }
        return all;
    }

    @Override
    public void onNone(Throwable cause) {
        asking = false;
        try {
            fail(cause);
        } finally {
            tell();
        }
    }

    private void fail(Throwable cause) {
        KnownAddresses known = answer().known();
        boolean out = Descriptors.areOut(cause);
        if (!out && !left) {
            failing = true;
            asker.outages().failed(host, NameResolution.why(cause), askedNanos, !known.isEmpty());
            if (left) {
                // Meanwhile.
                asker.outages().forget(host);
            }
        }
        boolean hanging = !out && known.isEmpty() && NameResolution.isLate(cause);
        int pauseSeconds = hanging ? HANGING_SECONDS_MIN : asker.settings().ttlSecondsMin();
        long pauseNanos = out ? 0 : TimeUnit.SECONDS.toNanos(pauseSeconds);
        answer.set(new Answer(known, System.nanoTime() + pauseNanos, cause, hanging));
        if (hanging) {
            askAgainLater();
        } else {
            hangingSeconds = 0;
        }
    }

    /** Requests are refused meanwhile: the next one isn't to be the first to find that there is an answer. */
    private void askAgainLater() {
        long pause = Math.max(hangingSeconds, HANGING_SECONDS_MIN);
        hangingSeconds = Math.min(2 * pause, HANGING_SECONDS_MAX);
        ScheduledFuture<?> before = again;
        if (before != null) {
            before.cancel(false);
        }
        again = later(this::askAgain, TimeUnit.SECONDS.toNanos(pause));
    }

    private void askAgain() {
        if (!left && !asking && answer.get().hanging()) {
            begin();
        }
    }

    private @Nullable ScheduledFuture<?> later(Runnable task, long nanos) {
        try {
            return asker.loop().schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            // The process ends.
            return null;
        }
    }

    private void tell() {
        List<Waiting> told = List.copyOf(waiting);
        waiting.clear();
        for (Waiting each : told) {
            if (!each.tell()) {
                waiting.add(each);
            }
        }
        if (!waiting.isEmpty()) {
            later(this::tell, TOLD_AGAIN_NANOS);
        }
    }
}
