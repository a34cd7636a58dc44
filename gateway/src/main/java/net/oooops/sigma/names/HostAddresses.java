package net.oooops.sigma.names;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of one host name, for one who uses them. What is known of it is the process's ({@link HostName}): it is read without a
 * lock, and asked for where it is due.
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

    /** So long an answer is waited for where an older one is known, or the last question had none in time. */
    public static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int NOTHING = -1;

    private final NameResolution names;
    private final HostName host;
    private List<Waiting> waiting = new ArrayList<>();
    /** Whether it is to be told of an answer. */
    private boolean asked;
    /** How many answers had lost an address when the first one came here. */
    private int lossesAtFirst = NOTHING;

    private boolean closed;

    /** Asked by nobody yet. */
    public HostAddresses(NameResolution names, String host) {
        this.names = names;
        this.host = names.use(host);
    }

    /** Those that are known; none where none is yet. Asks nobody. */
    public List<InetAddress> known() {
        return taken(host.answer().known());
    }

    private List<InetAddress> taken(KnownAddresses known) {
        if (lossesAtFirst == NOTHING && !known.isEmpty()) {
            lossesAtFirst = known.losses();
        }
        return known.all();
    }

    /** Whether an address was lost since the beginning: else all are the name's. */
    public boolean hasMoved() {
        return lossesAtFirst != NOTHING && host.answer().known().losses() != lossesAtFirst;
    }

    /** Whether the name leads there, as far as is known, or did so a short while ago. */
    public boolean has(InetAddress address) {
        return host.answer().known().has(address, host.absentNanosMax());
    }

    /** Asks for them: what is known for its TTL, or a name server. Where this throws, the asker is told nothing. */
    public void ask(Asker asker) {
        HostName.Answer now = host.answer();
        boolean due = now.isDue(System.nanoTime());
        boolean known = !now.known().isEmpty();
        if (!due || (now.failure() != null && known)) {
            if (due) {
                ask();
            }
            answer(asker);
            return;
        }
        Waiting one = new Waiting(asker);
        waiting.add(one);
        try {
            if (known || now.hanging()) {
                names.loop().schedule(one, PATIENCE_NANOS, TimeUnit.NANOSECONDS);
            }
            ask();
        } catch (RuntimeException | Error e) {
            one.asker = null;
            throw e;
        }
    }

    /** Asks again if their TTL is over; where there was no answer, after a while. */
    public void refresh() {
        if (!asked && host.answer().isDue(System.nanoTime())) {
            ask();
        }
    }

    private void ask() {
        if (asked) {
            return;
        }
        asked = true;
        try {
            host.ask(names.loop(), this::told);
        } catch (RejectedExecutionException _) {
            // The process ends.
            told();
        } catch (RuntimeException | Error e) {
            // Such as no thread for the asker's event loop: who comes next asks again.
            asked = false;
            throw e;
        }
    }

    private void told() {
        asked = false;
        List<Waiting> all = waiting;
        waiting = new ArrayList<>();
        tell(all, 0);
    }

    /** Whatever one throws, the others have asked as well. */
    private static void tell(List<Waiting> all, int from) {
        int next = from;
        try {
            while (next < all.size()) {
                next++;
                all.get(next - 1).run();
            }
        } finally {
            if (next < all.size()) {
                tell(all, next);
            }
        }
    }

    /** Its node is gone: whether the name can be resolved is of no interest any more. */
    public void close() {
        if (!closed) {
            closed = true;
            host.leave();
        }
    }

    private void answer(Asker asker) {
        HostName.Answer now = host.answer();
        List<InetAddress> known = taken(now.known());
        if (known.isEmpty()) {
            Throwable failure = now.failure();
            asker.onUnresolved(failure == null ? new UnknownHostException(host.host()) : failure);
        } else {
            asker.onAddresses(known);
        }
    }

    /** Is answered once: when there is an answer, or when it has taken too long. */
    private final class Waiting implements Runnable {
        private @Nullable Asker asker;

        private Waiting(Asker asker) {
            this.asker = asker;
        }

        @Override
        public void run() {
            Asker waits = asker;
            if (waits != null) {
                asker = null;
                answer(waits);
            }
        }
    }
}
