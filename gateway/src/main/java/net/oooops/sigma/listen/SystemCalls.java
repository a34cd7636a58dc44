package net.oooops.sigma.listen;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * What of Linux neither the JDK nor Netty has, for sockets that another process has passed. Linked when it is needed first.
 *
 * <p>Any thread.
 */
final class SystemCalls {
    // Of Linux: asm-generic/fcntl.h.
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;

    private static final MethodHandle FCNTL = linked();

    private SystemCalls() {}

    @SuppressWarnings("restricted") // It is what this class is for.
    private static MethodHandle linked() {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor type = FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("fcntl"), type, Linker.Option.firstVariadicArg(2));
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
