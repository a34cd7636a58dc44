package net.oooops.sigma.upstream;

import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.memory.Descriptors;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of one host name, for one who uses them. What was last known stays in use while name servers have no answer: they
 * don't say so, take too long, fail, or answer with an empty list. Then it is the last answer that anybody in this process has had, or
 * in the one before ({@link LastAnswers}).
 *
 * <pre>
 *   answered ─ no answer ─▶ failing: asked again after a pause, answered at once with what is known
 *      ▲                       │
 *      └────── an answer ──────┘
 * </pre>
 *
 * <p>Called on one event loop only, that of the {@link NameResolution}; so are those who ask.
 */
public final class HostAddresses {
    /** Who asks: exactly one of the two is called, maybe before {@link #ask} returns. */
    public interface Asker {
        /** The addresses: at least one. */
        void onAddresses(List<InetAddress> addresses);

        /** There is none. */
        void onUnresolved(Throwable cause);
    }

    /** So long an answer is waited for where an older one is known. */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final NameResolution names;
    private final String host;
    private List<InetAddress> known = List.of();
    /** Those that the last answers didn't have, and since when. */
    private final Map<InetAddress, Long> absent = new HashMap<>();

    private boolean moved;
    /** The question that is under way. */
    private @Nullable Future<List<InetAddress>> asked;

    private long askedNanos;
    private boolean failing;
    private boolean closed;

    /** Asked by nobody yet. */
    public HostAddresses(NameResolution names, String host) {
        this.names = names;
        this.host = host;
    }

    /** Those that are known; none where none is yet. Asks nobody. */
    public List<InetAddress> known() {
        catchUp();
        return known;
    }

    /** Who has no answer, or none of late, has the one that others had. */
    @SuppressWarnings("ReferenceEquality") // It is another object where it is another answer.
    private void catchUp() {
        if (failing || known.isEmpty()) {
            List<InetAddress> last = names.last().addresses(host);
            if (last != known && !last.isEmpty()) {
                keep(last);
            }
        }
    }

    /** Whether they have changed since the beginning. */
    public boolean hasMoved() {
        return moved;
    }

    /** Whether the name leads there, as far as is known, or did so a short while ago. */
    public boolean has(InetAddress address) {
        return known.contains(address) || isAbsentShortly(absent.get(address));
    }

    private boolean isAbsentShortly(@Nullable Long since) {
        return since != null && System.nanoTime() - since < names.absentNanosMax();
    }

    /** Asks for them: what is kept for its TTL, or a name server. */
    public void ask(Asker asker) {
        catchUp();
        if (failing && !known.isEmpty()) {
            refresh();
            asker.onAddresses(known);
            return;
        }
        Future<List<InetAddress>> question = question();
        if (question.isDone()) {
            answer(question, asker);
        } else if (known.isEmpty()) {
            question.addListener(done -> answer(question, asker));
        } else {
            Patient patient = new Patient(question, asker);
            question.addListener(done -> patient.run());
            names.loop().schedule(patient, PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    /** Asks again if their TTL is over; where there was no answer, after a while. */
    public void refresh() {
        if (!failing || System.nanoTime() - askedNanos >= names.pauseNanos()) {
            question();
        }
    }

    /** Its node is gone: whether the name can be resolved is of no interest any more. */
    public void close() {
        closed = true;
        if (failing) {
            failing = false;
            names.outages().forget(host);
        }
    }

    private Future<List<InetAddress>> question() {
        Future<List<InetAddress>> under = asked;
        if (under != null) {
            return under;
        }
        Future<List<InetAddress>> question = names.resolve(host);
        if (question.isDone()) {
            settle(question, false);
            return question;
        }
        asked = question;
        askedNanos = System.nanoTime();
        question.addListener(done -> {
            asked = null;
            settle(question, true);
        });
        return question;
    }

    /** @param real whether a name server was asked for it just now */
    private void settle(Future<List<InetAddress>> question, boolean real) {
        if (isAnswered(question)) {
            keep(real ? names.last().learnt(host, question.getNow()) : question.getNow());
            if (failing) {
                failing = false;
                names.outages().answered(host);
            }
        } else if (real && !closed && !Descriptors.areOut(question.cause())) {
            failing = true;
            catchUp();
            names.outages().failed(host, NameResolution.why(question.cause()), askedNanos, !known.isEmpty());
        }
    }

    private static boolean isAnswered(Future<List<InetAddress>> question) {
        return question.isSuccess() && !question.getNow().isEmpty();
    }

    private void keep(List<InetAddress> now) {
        if (!isKnown(now)) {
            moved |= !known.isEmpty();
            long nanos = System.nanoTime();
            absent.values().removeIf(since -> !isAbsentShortly(since));
            known.forEach(address -> absent.put(address, nanos));
            now.forEach(absent::remove);
        }
        known = List.copyOf(now);
    }

    /** Whether those are the same, in whichever order. There may be thousands, and each new connection asks. */
    private boolean isKnown(List<InetAddress> now) {
        return known.equals(now) || (known.size() == now.size() && new HashSet<>(known).containsAll(now));
    }

    private void answer(Future<List<InetAddress>> question, Asker asker) {
        catchUp();
        if (!known.isEmpty()) {
            asker.onAddresses(known);
        } else {
            Throwable cause = question.cause();
            asker.onUnresolved(cause == null ? new UnknownHostException(host) : cause);
        }
    }

    /** Answers once: when there is an answer, or when it has taken too long. */
    private final class Patient implements Runnable {
        private final Future<List<InetAddress>> question;
        private final Asker asker;
        private boolean over;

        private Patient(Future<List<InetAddress>> question, Asker asker) {
            this.question = question;
            this.asker = asker;
        }

        @Override
        public void run() {
            if (!over) {
                over = true;
                answer(question, asker);
            }
        }
    }
}
