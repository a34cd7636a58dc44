package net.oooops.sigma.names;

import io.netty.channel.EventLoop;
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
 *                                 └─ none ─▶ failing: as before, asked again after a pause
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
     */
    record Answer(
            KnownAddresses known, long dueNanos, @Nullable Throwable failure) {
        boolean isDue(long nowNanos) {
            return nowNanos - dueNanos >= 0;
        }
    }

    /** Who waits, and where it is told. */
    private record Waiting(EventLoop loop, Runnable told) {
        private void tell() {
            try {
                loop.execute(told);
            } catch (RejectedExecutionException _) {
                // Its event loop has ended, and it with that.
            }
        }
    }

    /** So long nobody waits for the rest of an answer of which one family is there: the question goes on, and its end says what is kept. */
    private static final long REST_NANOS_MIN = TimeUnit.MINUTES.toNanos(1);

    private final NameAsker asker;
    private final String host;
    private final AtomicReference<Answer> answer =
            new AtomicReference<>(new Answer(KnownAddresses.NONE, System.nanoTime(), null));
    /** Nobody uses it any more: whether it can be resolved is of no interest. */
    private volatile boolean left;

    // Of the asker's event loop
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean asking;
    private boolean failing;
    private long askedNanos;

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
        answer.compareAndSet(now, new Answer(known, now.dueNanos(), now.failure()));
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
        Settings settings = asker.settings();
        long now = System.nanoTime();
        KnownAddresses before = answer().known();
        List<InetAddress> all = manner.last() ? addresses : withOtherFamily(addresses, before);
        KnownAddresses known = before.next(all, now, settings.absentNanosMax());
        long seconds = Math.clamp(manner.ttlSeconds(), settings.ttlSecondsMin(), settings.ttlSecondsMax());
        long keptNanos = TimeUnit.SECONDS.toNanos(seconds);
        answer.set(new Answer(known, now + (manner.last() ? keptNanos : Math.max(keptNanos, REST_NANOS_MIN)), null));
        if (manner.real()) {
            asker.last().learnt(host, known.all());
        }
        if (failing) {
            failing = false;
            asker.outages().answered(host);
        }
        tell();
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
        // Who has nothing, and had no answer in time, isn't refused unasked: a datagram may have been lost.
        boolean atOnce = out || (known.isEmpty() && NameResolution.isLate(cause));
        long pauseNanos = atOnce ? 0 : TimeUnit.SECONDS.toNanos(asker.settings().ttlSecondsMin());
        answer.set(new Answer(known, System.nanoTime() + pauseNanos, cause));
        tell();
    }

    private void tell() {
        List<Waiting> told = List.copyOf(waiting);
        waiting.clear();
        told.forEach(Waiting::tell);
    }
}
