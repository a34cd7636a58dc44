package net.oooops.sigma.control.socket;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** So many commands that read files are answered at once: where files don't answer, other commands still are. Any thread. */
final class ReadingPlaces {
    private static final Logger LOG = LoggerFactory.getLogger(ReadingPlaces.class);

    private final int most;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    /** Under the lock, as all that follows: those that are taken, the first one first. */
    private final List<Place> taken = new ArrayList<>();
    /** Whether the log has it that all are taken. */
    private boolean said;

    /** @param nanos the clock */
    ReadingPlaces(int most, LongSupplier nanos) {
        this.most = most;
        this.nanos = nanos;
    }

    /** One that is taken until it is closed. */
    final class Place implements AutoCloseable {
        private final String command;
        private final long sinceNanos = nanos.getAsLong();

        private Place(String command) {
            this.command = command;
        }

        @Override
        public void close() {
            lock.lock();
            try {
                taken.remove(this);
                said = said && !taken.isEmpty();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Takes one.
     *
     * @throws Refused where there is none
     */
    Place take(String command) throws Refused {
        lock.lock();
        try {
            if (taken.size() < most) {
                Place place = new Place(command);
                taken.add(place);
                return place;
            }
            Place first = taken.getFirst();
            String under = most + " commands that read files are under way, the first of them, " + first.command
                    + ", for " + TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - first.sinceNanos) + " s";
            if (!said) {
                LOG.warn("{}: others are refused until one has ended", under);
                said = true;
            }
            throw new Refused(under + " (expected: fewer at once, and files that answer)");
        } finally {
            lock.unlock();
        }
    }
}
