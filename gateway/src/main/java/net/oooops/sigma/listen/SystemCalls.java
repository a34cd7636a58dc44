package net.oooops.sigma.listen;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The few calls of Linux that neither the JDK nor Netty has, for sockets that another process has passed. Linked when the first one is needed.
 *
 * <p>Any thread.
 */
final class SystemCalls {
    // Of Linux: asm-generic/fcntl.h.
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;

    private static final MethodHandle DUP2 = linked("dup2", false);
    private static final MethodHandle FCNTL = linked("fcntl", true);

    private SystemCalls() {}

    @SuppressWarnings("restricted") // It is what this class is for.
    private static MethodHandle linked(String name, boolean third) {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor type = third
                ? FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)
                : FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        Linker.Option[] options =
                third ? new Linker.Option[] {Linker.Option.firstVariadicArg(2)} : new Linker.Option[0];
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /** {@code replaced} is what {@code descriptor} is from now on (dup2(2)); both are to be closed. */
    static void replace(int descriptor, int replaced) throws IOException {
        int result;
        try {
            result = (int) DUP2.invokeExact(descriptor, replaced);
        } catch (Throwable e) {
            throw new IOException("dup2", e);
        }
        if (result < 0) {
            throw new IOException("dup2(" + descriptor + ", " + replaced + ") failed");
        }
    }

    /** Its calls don't wait from now on. So for all who have the same socket. */
    static void unblock(int descriptor) throws IOException {
        int result;
        try {
            int flags = (int) FCNTL.invokeExact(descriptor, F_GETFL, 0);
            result = flags < 0 ? flags : (int) FCNTL.invokeExact(descriptor, F_SETFL, flags | O_NONBLOCK);
        } catch (Throwable e) {
            throw new IOException("fcntl", e);
        }
        if (result < 0) {
            throw new IOException("fcntl(" + descriptor + ", O_NONBLOCK) failed");
        }
    }
}
