package net.oooops.sigma.plugins.compression;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Coders;
import net.oooops.sigma.plugins.compression.coding.Coding;

/**
 * How answers are packed in one coding.
 *
 * @param coding which one
 * @param field that names it
 * @param coders what packs
 * @param bodies how many bodies are being packed, of all codings of a plugin
 * @param bodiesMax how many may be
 */
record Packing(Coding coding, Field field, Coders coders, AtomicInteger bodies, int bodiesMax) {
    Packing(Coding coding, Supplier<Coder> packers, AtomicInteger bodies, int bodiesMax) {
        this(coding, Field.of("Content-Encoding", coding.token()), new Coders(packers), bodies, bodiesMax);
    }

    /** Whether one more may be packed; it counts then until {@link #leave}. */
    boolean enter() {
        if (bodies.incrementAndGet() <= bodiesMax) {
            return true;
        }
        bodies.decrementAndGet();
        return false;
    }

    void leave() {
        bodies.decrementAndGet();
    }
}
