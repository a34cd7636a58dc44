package net.oooops.sigma.listen;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sockets as another process would pass them: their numbers, and nobody here who closes them. */
public final class RawDescriptors {
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final int BACKLOG = 128;

    private static final MethodHandle DUP = linked("dup", 1);
    private static final MethodHandle FCNTL = linked("fcntl", 3);

    static {
        Epoll.ensureAvailability();
    }

    private RawDescriptors() {}

    @SuppressWarnings("restricted") // It is what this class is for.
    private static MethodHandle linked(String name, int arguments) {
        FunctionDescriptor type = FunctionDescriptor.of(ValueLayout.JAVA_INT);
        for (int i = 0; i < arguments; i++) {
            type = type.appendArgumentLayouts(ValueLayout.JAVA_INT);
        }
        Linker linker = Linker.nativeLinker();
        Linker.Option[] options =
                arguments > 2 ? new Linker.Option[] {Linker.Option.firstVariadicArg(2)} : new Linker.Option[0];
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /** One of TCP that listens there. */
    public static int tcp(String host, int port, boolean shared) throws IOException {
        Socket socket = bound(Socket.newSocketStream(), host, port, shared);
        socket.listen(BACKLOG);
        return socket.intValue();
    }

    /** One of UDP that is bound there. */
    public static int udp(String host, int port, boolean shared) throws IOException {
        return bound(Socket.newSocketDgram(), host, port, shared).intValue();
    }

    private static Socket bound(Socket socket, String host, int port, boolean shared) throws IOException {
        socket.setReuseAddress(true);
        socket.setReusePort(shared);
        socket.bind(new InetSocketAddress(host, port));
        return socket;
    }

    /** Another number of the same socket. */
    public static int same(int descriptor) {
        int result;
        try {
            result = (int) DUP.invokeExact(descriptor);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result < 0) {
            throw new AssertionError("dup(" + descriptor + ") failed");
        }
        return result;
    }

    /** Its calls wait from now on, as those of systemd's sockets do. */
    public static int blocking(int descriptor) {
        try {
            int flags = (int) FCNTL.invokeExact(descriptor, F_GETFL, 0);
            int result = (int) FCNTL.invokeExact(descriptor, F_SETFL, flags & ~O_NONBLOCK);
            if (result < 0) {
                throw new AssertionError("fcntl(" + descriptor + ") failed");
            }
            return descriptor;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Where it is bound. */
    public static int port(int descriptor) {
        InetSocketAddress local = new Socket(descriptor).localAddress();
        if (local == null) {
            throw new AssertionError("descriptor " + descriptor + " isn't bound");
        }
        return local.getPort();
    }

    /** What tells it from others, whatever its number; empty where there is none of that number. */
    public static String socketOf(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException e) {
            return "";
        }
    }

    /** Whether nobody in this process has that socket any more. */
    public static boolean isGone(String socket) throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.noneMatch(each ->
                    socketOf(Integer.parseInt(each.getFileName().toString())).equals(socket));
        }
    }

    /** Closes it. */
    public static void close(int descriptor) {
        try {
            new Socket(descriptor).close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
