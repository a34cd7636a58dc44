package net.oooops.sigma.plugins.compression;

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
 * @param bodies how many are being packed, of all codings
 */
record Packing(Coding coding, Field field, Coders coders, PackedCount bodies) {
    Packing(Coding coding, Supplier<Coder> packers, PackedCount bodies) {
        this(coding, Field.of("Content-Encoding", coding.token()), new Coders(packers), bodies);
    }
}
