package net.oooops.sigma.control.socket;

import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds the gateways that have their socket in a folder. Any thread; blocks. */
public final class LivingGateways {
    private LivingGateways() {}

    /**
     * Those that live, in the order of their sockets' names. Sockets of dead ones are taken away.
     *
     * @throws SocketFault where the folder can't be used
     */
    public static List<Presence> in(RunFolder folder) throws SocketFault {
        List<Path> dead = new ArrayList<>();
        List<Presence> living = living(folder, dead);
        if (!dead.isEmpty() && folder.isOwn()) {
            lockAndTakeDeadAway(folder);
        }
        return living;
    }

    /**
     * Those that seem to live, and whose socket isn't there: somebody has taken it away.
     *
     * @throws SocketFault where the folder can't be used
     */
    public static List<Long> withoutSocket(RunFolder folder) throws SocketFault {
        if (!folder.isThere()) {
            return List.of();
        }
        try {
            return files(folder, Presence.SUFFIX).stream()
                    .map(Presence::socket)
                    .filter(socket -> !Files.exists(socket))
                    .map(Presence::beside)
                    .filter(Presence::isAlive)
                    .map(Presence::pid)
                    .toList();
        } catch (IOException e) {
            throw new SocketFault("run folder " + folder.path(), e);
        }
    }

    /**
     * The same as {@link #in}, and all stays as it is: nobody is waited for.
     *
     * @throws SocketFault where the folder can't be used
     */
    public static List<Presence> seenIn(RunFolder folder) throws SocketFault {
        return living(folder, new ArrayList<>());
    }

    private static List<Presence> living(RunFolder folder, List<Path> dead) throws SocketFault {
        if (!folder.isThere()) {
            return List.of();
        }
        List<Presence> living = new ArrayList<>();
        try {
            for (Path socket : files(folder, Presence.SOCKET_SUFFIX)) {
                if (isDead(socket)) {
                    dead.add(socket);
                } else {
                    living.add(Presence.beside(socket));
                }
            }
        } catch (IOException e) {
            throw new SocketFault("run folder " + folder.path(), e);
        }
        return living;
    }

    static List<Path> files(RunFolder folder, String suffix) throws IOException {
        List<Path> sockets = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder.path(), "*" + suffix)) {
            found.forEach(sockets::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        sockets.sort(null);
        return sockets;
    }

    /** Whether nobody listens there: only that is certain. What can't be connected to for another reason may live. */
    private static boolean isDead(Path socket) {
        try (SocketChannel _ = TimedChannel.connectNow(socket)) {
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            return !Files.exists(socket);
        }
    }

    private static void lockAndTakeDeadAway(RunFolder folder) {
        try (Closeable _ = folder.lock()) {
            takeDeadAway(folder);
        } catch (IOException | SocketFault e) {
            // The next one that starts does it: whoever only asks isn't kept from that.
            return;
        }
    }

    /** Takes sockets away on which nobody listens, and what stands beside them. To be called with the folder locked: none is being made then. */
    static void takeDeadAway(RunFolder folder) throws IOException {
        Set<Long> living = new HashSet<>();
        for (Path socket : files(folder, Presence.SOCKET_SUFFIX)) {
            if (isDead(socket)) {
                Files.deleteIfExists(socket);
                Files.deleteIfExists(Presence.file(socket));
            } else {
                living.add(Presence.pidOf(socket));
            }
        }
        for (Path file : files(folder, Presence.SUFFIX)) {
            Path socket = Presence.socket(file);
            if (!Files.exists(socket) && !Presence.beside(socket).isAlive()) {
                Files.deleteIfExists(file);
            }
        }
        DrainingProcess.takeDeadAway(folder, Instant.now());
        for (Path next : files(folder, RunFolder.NEXT_SUFFIX)) {
            if (isLeft(next, living)) {
                Files.deleteIfExists(next);
            }
        }
    }

    /**
     * Whether the process has ended that waited there for the next one. Whoever connected to find out would be taken for that one. It may live in another
     * container, with a number that is none here: then it has its own socket still.
     */
    private static boolean isLeft(Path next, Set<Long> living) {
        long pid = Presence.pidOf(next);
        return !living.contains(pid) && ProcessHandle.of(pid).isEmpty();
    }
}
