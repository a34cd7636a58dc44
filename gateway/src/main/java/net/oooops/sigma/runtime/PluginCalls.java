package net.oooops.sigma.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import net.oooops.sigma.plugin.Chain;
import org.jspecify.annotations.Nullable;

/**
 * Which plugin an event loop is in. Written by the loop around each call, which costs it three plain stores and no clock; read by
 * whoever watches over the loops.
 */
public final class PluginCalls {
    private static final VarHandle NUMBER = number();

    /** Those of the chain, which itself would be held after its configuration is gone. */
    private @Nullable List<String> names;

    private int position;
    /** Odd within a call, else even. */
    private int number;

    private static VarHandle number() {
        try {
            return MethodHandles.lookup().findVarHandle(PluginCalls.class, "number", int.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a field of this class", e);
        }
    }

    /** The loop calls that plugin now. On the loop. */
    public void begin(Chain of, int at) {
        // Not seen before the end of the call before.
        VarHandle.storeStoreFence();
        names = of.names();
        position = at;
        NUMBER.setRelease(this, number + 1);
    }

    /** The call has returned. On the loop. */
    public void end() {
        NUMBER.setRelease(this, number + 1);
    }

    /** The number of the call that the loop is in, or 0 where it is in none. Any thread. */
    public int current() {
        int seen = (int) NUMBER.getAcquire(this);
        return (seen & 1) == 0 ? 0 : seen;
    }

    /** The plugin of that call; null where the loop has left it. Any thread. */
    public @Nullable String plugin(int call) {
        List<String> of = names;
        int at = position;
        VarHandle.acquireFence();
        return of == null || current() != call ? null : of.get(at);
    }
}
