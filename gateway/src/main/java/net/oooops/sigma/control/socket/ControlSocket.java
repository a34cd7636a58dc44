package net.oooops.sigma.control.socket;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.observe.HiddenTexts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of one gateway, for its user alone, and for root. What connects before {@link #serve} waits for it.
 *
 * <p>Each connection has one request, {@value Protocol#REQUEST_BYTES_MAX} bytes at most, and gets one answer. One that doesn't ask in time is closed, and where
 * {@value #CONNECTIONS_MAX} are under way, a further one is told so; so is one that reads files where {@value #READING_MAX} do. Any thread; answers are made on threads of its own.
 */
public final class ControlSocket implements AutoCloseable {
    /** Connections at once. */
    static final int CONNECTIONS_MAX = 16;

    /** As many of them may be answered by reading files, which may never answer: the others are for commands that read none. */
    static final int READING_MAX = 8;

    /** For how long a connection may take to ask, and then to take its answer. */
    static final Duration REQUEST_LIMIT = Duration.ofSeconds(5);

    /** So many of those that are told that they are too many are seen off beside whoever accepts. */
    private static final int REFUSED_MAX = 64;

    /** For how long one of these may take to end. */
    private static final Duration REFUSED_LIMIT = Duration.ofSeconds(1);

    /** The same where whoever accepts waits for it. */
    private static final Duration REFUSED_LIMIT_SHORT = Duration.ofMillis(50);

    private static final int BACKLOG = 64;
    private static final int NAMES_MAX = 100;
    private static final long ACCEPT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);

    private final RunFolder folder;
    private final Presence presence;
    private final ServerSocketChannel server;
    private final @Nullable Object key;
    private final Duration requestLimit;
    private final ThreadFactory threads;
    private final Semaphore free = new Semaphore(CONNECTIONS_MAX);
    private final Semaphore refusing = new Semaphore(REFUSED_MAX);
    private final ReadingPlaces reading = new ReadingPlaces(READING_MAX, System::nanoTime);
    private volatile Map<String, Steered> steered = Map.of();

    private ControlSocket(RunFolder folder, Presence presence, ServerSocketChannel server, Conversing conversing)
            throws IOException {
        this.folder = folder;
        this.presence = presence;
        this.server = server;
        this.requestLimit = conversing.requestLimit();
        this.threads = conversing.threads();
        this.key = key(presence.socket());
    }

    /**
     * Makes the folder where it isn't there, takes away what dead processes left in it, and listens.
     *
     * @param presence of this gateway, without a socket yet
     * @throws SocketFault where that can't be; nothing is left behind then
     */
    public static ControlSocket open(RunFolder folder, Presence presence) throws SocketFault {
        return open(folder, presence, Conversing.USUAL);
    }

    /**
     * How each connection is answered.
     *
     * @param requestLimit as {@link #REQUEST_LIMIT}
     * @param threads gives the thread of each
     */
    record Conversing(Duration requestLimit, ThreadFactory threads) {
        static final Conversing USUAL = new Conversing(
                REQUEST_LIMIT, Thread.ofPlatform().daemon().name("sigma-asked").factory());
    }

    static ControlSocket open(RunFolder folder, Presence presence, Conversing conversing) throws SocketFault {
        folder.make();
        try (Closeable _ = folder.lock()) {
            LivingGateways.takeDeadAway(folder);
            Presence named = presence.at(freeName(folder, presence.pid()));
            RunFolder.requireShort(named.socket());
            return listen(folder, named, conversing);
        } catch (IOException e) {
            throw new SocketFault("socket in " + folder.path(), e);
        }
    }

    /** By the process, and a number where that is taken: by another gateway in it, or in another container with that folder. */
    private static Path freeName(RunFolder folder, long pid) throws SocketFault {
        for (int i = 1; i <= NAMES_MAX; i++) {
            String name = pid + (i == 1 ? "" : "-" + i) + Presence.SOCKET_SUFFIX;
            Path socket = folder.path().resolve(name);
            if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
                return socket;
            }
        }
        throw new SocketFault("socket in " + folder.path() + ": all names are taken");
    }

    private static ControlSocket listen(RunFolder folder, Presence presence, Conversing conversing) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            RunFolder.write(presence.file(), presence.json());
            server.bind(UnixDomainSocketAddress.of(presence.socket()), BACKLOG);
            RunFolder.close(presence.socket());
            return new ControlSocket(folder, presence, server, conversing);
        } catch (IOException | RuntimeException | Error e) {
            server.close();
            Files.deleteIfExists(presence.socket());
            Files.deleteIfExists(presence.file());
            throw e;
        }
    }

    private static @Nullable Object key(Path socket) throws IOException {
        return Files.readAttributes(
                        socket, java.nio.file.attribute.BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Whether its file is there still. */
    public boolean isThere() {
        try {
            return key != null && key.equals(key(path()));
        } catch (IOException e) {
            return false;
        }
    }

    /** Where it listens. */
    public Path path() {
        return presence.socket();
    }

    /**
     * Answers from now on.
     *
     * @param all what can be asked, by the word of the command
     */
    public void serve(Map<String, Steered> all) {
        steered = Map.copyOf(all);
        Thread.ofPlatform().daemon().name("sigma-socket").start(this::accept);
    }

    private void accept() {
        boolean said = false;
        while (server.isOpen()) {
            try {
                accepted(server.accept());
                said = false;
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                if (!said) {
                    LOG.warn("{}: can't accept ({})", path(), SocketFault.why(e));
                }
                said = true;
                LockSupport.parkNanos(this, ACCEPT_PAUSE_NANOS);
            } catch (RuntimeException | Error e) {
                // Such as no memory for one thread more: there may be some later.
                if (!said) {
                    LOG.error("{}: can't answer", path(), e);
                }
                said = true;
                LockSupport.parkNanos(this, ACCEPT_PAUSE_NANOS);
            }
        }
    }

    private void accepted(SocketChannel channel) throws IOException {
        TimedChannel timed = new TimedChannel(channel);
        if (free.tryAcquire()) {
            beside(timed, free, () -> converse(timed, Peer.of(channel, folder.path())));
        } else if (refusing.tryAcquire()) {
            beside(timed, refusing, () -> refuse(timed, REFUSED_LIMIT));
        } else {
            passed(timed, () -> refuse(timed, REFUSED_LIMIT_SHORT));
        }
    }

    /** What one side has with the other, on a connection. */
    @FunctionalInterface
    private interface Passage {
        void pass() throws IOException;
    }

    /** On a thread of its own, which gives its place back. */
    private void beside(TimedChannel timed, Semaphore place, Passage passage) {
        boolean started = false;
        try {
            Thread thread = threads.newThread(() -> {
                try {
                    passed(timed, passage);
                } finally {
                    place.release();
                }
            });
            thread.start();
            started = true;
        } finally {
            if (!started) {
                place.release();
                timed.close();
            }
        }
    }

    private void passed(TimedChannel timed, Passage passage) {
        try (timed) {
            passage.pass();
        } catch (IOException e) {
            LOG.debug("{}: a connection ended early ({})", path(), SocketFault.why(e));
        }
    }

    private static void refuse(TimedChannel timed, Duration limit) throws IOException {
        byte[] error = Protocol.error(CONNECTIONS_MAX + " ask already (expected: fewer at once)");
        timed.writeLine(error, Duration.ZERO);
        timed.finish(limit);
    }

    private void converse(TimedChannel timed, Peer peer) throws IOException {
        byte[] request;
        try {
            request = timed.readLine(Protocol.REQUEST_BYTES_MAX, requestLimit);
        } catch (TimedChannel.TooLong e) {
            timed.writeLine(Protocol.error("a request " + e.getMessage()), requestLimit);
            timed.finish(REFUSED_LIMIT);
            return;
        }
        if (request.length > 0) {
            timed.writeLine(answer(request, peer), requestLimit);
        }
    }

    private byte[] answer(byte[] request, Peer peer) {
        try {
            if (!peer.isAllowed()) {
                throw new Refused("user " + peer.name() + " (expected: the user that runs the gateway, or root)");
            }
            Asked asked = Protocol.asked(PlainJson.read(request), peer.name());
            Steered found = steered.get(asked.command());
            if (found == null) {
                throw new Refused("command " + asked.command() + ": not known to this gateway (it knows: "
                        + String.join(", ", steered.keySet().stream().sorted().toList()) + ")");
            }
            byte[] answer = Protocol.answer(answer(found, asked));
            return answer.length <= Protocol.ANSWER_BYTES_MAX ? answer : Protocol.error("an answer that is too long");
        } catch (Refused e) {
            return Protocol.error(e.text());
        } catch (IOException e) {
            return Protocol.error("a request that isn't JSON: an object in one line (" + firstLine(e) + ")");
        } catch (RuntimeException | Error e) {
            LOG.error("{}: a request failed", path(), e);
            return Protocol.error(HiddenTexts.hide("a fault of the gateway's own: " + e));
        }
    }

    private Answer answer(Steered found, Asked asked) throws Refused {
        if (!found.readsFiles()) {
            return found.answer(asked);
        }
        try (ReadingPlaces.Place _ = reading.take(asked.command())) {
            return found.answer(asked);
        }
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** Takes the socket away. What is being answered is answered still, as long as the process lives. */
    @Override
    public void close() {
        try (Closeable _ = folder.lock()) {
            // Where the folder was emptied meanwhile, another one may have the name.
            boolean own = isThere();
            server.close();
            if (own) {
                Files.deleteIfExists(path());
            }
            if (!Files.exists(path(), LinkOption.NOFOLLOW_LINKS)) {
                Files.deleteIfExists(presence.file());
            }
        } catch (IOException | SocketFault e) {
            LOG.debug("{}: can't be taken away", path(), e);
        } finally {
            closeServer();
        }
    }

    private void closeServer() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("{}: can't be closed", path(), e);
        }
    }
}
