package net.oooops.sigma.ask;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks something of files of which one may never answer, as on a mount that is stuck: on a thread that may stay there, so that whoever asks doesn't. Where
 * {@value #THREADS_MAX} of them are held, what is asked is refused at once; so is a file that holds one already, and one that is beside
 * {@value #BESIDE_MAX} such. Where others are only at work, it waits for one of them.
 *
 * <p>Any thread; it waits.
 */
public final class FileAnswers {
    /** For how long nothing may come. */
    public static final Duration LIMIT = Duration.ofSeconds(10);

    /** So many files are asked at once. */
    public static final int THREADS_MAX = 16;

    /** So many files of a folder may hold a thread: it is the folder that is stuck then. */
    static final int BESIDE_MAX = 3;

    /** So many links in a row are looked at. */
    private static final int LINKS_MAX = 8;

    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(FileAnswers.class);

    private static final FileAnswers ALL = new FileAnswers(LIMIT, THREADS_MAX);

    private final Duration limit;
    private final int threadsMax;
    /** One for each thread that may be at work, or held. */
    private final Semaphore places;

    private final ThreadPoolExecutor threads;
    /** Those that nobody waits for any more, and that still hold their threads. */
    private final Set<Asked<?>> held = ConcurrentHashMap.newKeySet();

    FileAnswers(Duration limit, int threadsMax) {
        this.limit = limit;
        this.threadsMax = threadsMax;
        this.places = new Semaphore(threadsMax, true);
        // As many as there are places, and for a moment those that have just given theirs back.
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE.toMillis(),
                TimeUnit.MILLISECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().daemon().name("sigma-file-", 1).factory());
    }

    /** Something to ask of a file. */
    @FunctionalInterface
    public interface Question<T extends @Nullable Object> {
        /**
         * Asks it.
         *
         * @param reading reads it
         */
        T ask(Reading reading) throws IOException;
    }

    /** What is read of a file counts as an answer, piece by piece: a long one may take its time. */
    @FunctionalInterface
    public interface Reading {
        /** Waits as long as it takes. */
        Reading UNHURRIED = (file, bytesMax) -> {
            try (InputStream in = Files.newInputStream(file)) {
                return in.readNBytes(bytesMax);
            }
        };

        /** The first bytes of a file, all where it has no more. */
        byte[] bytes(Path file, int bytesMax) throws IOException;
    }

    /** No answer came: the file is named. */
    public static final class Unanswered extends FileSystemException {
        private static final long serialVersionUID = 1L;

        Unanswered(Path file, String why) {
            super(file.toString(), null, why);
        }
    }

    /**
     * The answer.
     *
     * @param file is named where none comes
     * @throws Unanswered where none comes in time
     */
    public static <T extends @Nullable Object> T of(Path file, Question<T> question) throws IOException {
        return ALL.answer(file, question);
    }

    <T extends @Nullable Object> T answer(Path file, Question<T> question) throws IOException {
        Asked<T> asked = new Asked<>(file, question);
        try {
            awaitPlace(file);
            begin(asked);
            return asked.await(limit.toNanos());
        } catch (TimeoutException e) {
            LOG.warn(
                    "{}: hasn't answered within {} s; {} of {} threads for files are held by such",
                    file,
                    limit.toSeconds(),
                    held.size(),
                    threadsMax);
            Unanswered none = new Unanswered(file, "hasn't answered within " + limit.toSeconds() + " s");
            none.initCause(e);
            throw none;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(file.toString());
        }
    }

    /** Those that are at work come free soon; those that are held may never. */
    private void awaitPlace(Path file) throws Unanswered, InterruptedException {
        if (places.tryAcquire()) {
            return;
        }
        if (held.size() >= threadsMax) {
            throw new Unanswered(file, "isn't asked, as " + threadsMax + " files haven't answered yet");
        }
        if (!places.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new Unanswered(
                    file,
                    "isn't asked, as none of " + threadsMax + " threads for files came free within " + limit.toSeconds()
                            + " s");
        }
    }

    private void begin(Asked<?> asked) {
        boolean begun = false;
        try {
            threads.execute(asked);
            begun = true;
        } finally {
            if (!begun) {
                places.release();
            }
        }
    }

    /** A question that is under way. */
    private final class Asked<T extends @Nullable Object> implements Reading, Runnable {
        private final Path file;
        private final FutureTask<T> task;
        private volatile long heardNanos = System.nanoTime();
        /** What is asked at the moment: the file, or what it leads to. */
        private volatile Path at;

        private volatile boolean over;

        Asked(Path file, Question<T> question) {
            this.file = file;
            this.at = file.toAbsolutePath().normalize();
            Callable<T> asking = () -> {
                lookForHeld();
                return question.ask(this);
            };
            this.task = new FutureTask<>(asking);
        }

        @Override
        public void run() {
            try {
                task.run();
            } finally {
                over = true;
                held.remove(this);
                places.release();
            }
        }

        /** Along all links: one in a folder that is well may lead to one that is stuck. */
        private void lookForHeld() throws IOException {
            refuseBesideHeld();
            for (int links = 0; links < LINKS_MAX && Files.isSymbolicLink(at); links++) {
                at = at.resolveSibling(Files.readSymbolicLink(at)).normalize();
                refuseBesideHeld();
            }
        }

        private void refuseBesideHeld() throws Unanswered {
            int beside = 0;
            for (Asked<?> each : held) {
                if (each.at.equals(at)) {
                    throw new Unanswered(file, "hasn't answered yet what it was asked before");
                }
                beside += Objects.equals(each.at.getParent(), at.getParent()) ? 1 : 0;
            }
            if (beside >= BESIDE_MAX) {
                throw new Unanswered(file, "isn't asked, as " + beside + " files beside it haven't answered yet");
            }
        }

        @Override
        public byte[] bytes(Path file, int bytesMax) throws IOException {
            // By a channel, since a thread that reads such an one can be had back.
            try (InputStream in = heard(Channels.newInputStream(FileChannel.open(file)))) {
                return in.readNBytes(bytesMax);
            }
        }

        private InputStream heard(InputStream from) {
            return new FilterInputStream(from) {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    int count = super.read(bytes, offset, length);
                    heardNanos = System.nanoTime();
                    return count;
                }
            };
        }

        /** Until it is there, or nothing was heard for so long. */
        T await(long limitNanos) throws IOException, TimeoutException, InterruptedException {
            try {
                long heard = heardNanos;
                while (!isDone(heard + limitNanos - System.nanoTime())) {
                    if (heard == heardNanos) {
                        throw new TimeoutException("nothing was heard");
                    }
                    heard = heardNanos;
                }
                return task.get();
            } catch (ExecutionException e) {
                throw thrown(e);
            } finally {
                if (!task.isDone()) {
                    leave();
                }
            }
        }

        /** Some of what waits for a file ends by an interruption; of what doesn't, the thread is lost until it does. */
        private void leave() {
            held.add(this);
            if (over) {
                held.remove(this);
            }
            // On a thread of its own: interrupting one that reads a channel closes that, which waits until it has left
            // the kernel.
            Thread.ofPlatform().daemon().name("sigma-file-end").start(() -> task.cancel(true));
        }

        private boolean isDone(long withinNanos) throws InterruptedException, ExecutionException {
            try {
                task.get(withinNanos, TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException e) {
                return false;
            }
        }

        private IOException thrown(ExecutionException e) {
            return switch (e.getCause()) {
                case IOException failed -> failed;
                case RuntimeException failed -> throw failed;
                case Error failed -> throw failed;
                case null, default -> new IOException(e);
            };
        }
    }
}
