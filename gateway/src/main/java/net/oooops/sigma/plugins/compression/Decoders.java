package net.oooops.sigma.plugins.compression;

import java.util.List;
import net.oooops.sigma.plugins.compression.coding.Coders;
import net.oooops.sigma.plugins.compression.coding.Coding;

/**
 * What unpacks one coding.
 *
 * @param bytesMax how much one may come to hold
 */
record Decoders(Coders coders, long bytesMax) {
    /** Those of that coding, loaded before. */
    static Decoders of(Coding coding) {
        return new Decoders(new Coders(coding::unpacker), coding.unpackerBytesMax());
    }

    /** How much one of each may come to hold together. */
    static long bytesMax(List<Decoders> all) {
        long bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            bytes += all.get(i).bytesMax;
        }
        return bytes;
    }
}
