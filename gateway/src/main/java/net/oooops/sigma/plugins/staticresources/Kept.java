package net.oooops.sigma.plugins.staticresources;

import java.util.List;
import java.util.function.ToLongFunction;

/** What a path led to when it was looked at. Immutable, but for the files that it holds open: whoever has it lets them go. */
sealed interface Kept {
    /**
     * Nothing.
     *
     * @param hidden whether that is so as it may not be given out
     */
    record Missing(boolean hidden) implements Kept {}

    /** A directory, named without the slash at its end. */
    record Redirect() implements Kept {}

    /**
     * A file.
     *
     * @param plain as it is
     * @param coded what there is of it in other codings, the one that the server likes best first
     * @param codings the names of these
     */
    record Files(ServedFile plain, List<ServedFile> coded, List<String> codings) implements Kept {
        Files(ServedFile plain, List<ServedFile> coded) {
            this(
                    plain,
                    List.copyOf(coded),
                    coded.stream().map(ServedFile::coding).toList());
        }

        @Override
        public long bytes() {
            return sum(ServedFile::keptBytes);
        }

        @Override
        public long open() {
            return sum(ServedFile::open);
        }

        private long sum(ToLongFunction<ServedFile> of) {
            long sum = of.applyAsLong(plain);
            for (ServedFile each : coded) {
                sum += of.applyAsLong(each);
            }
            return sum;
        }

        @Override
        public void release() {
            plain.release();
            coded.forEach(ServedFile::release);
        }
    }

    /** How much of it is in memory. */
    default long bytes() {
        return 0;
    }

    /** How many files it holds open. */
    default long open() {
        return 0;
    }

    /** It isn't kept any more: what it holds open is closed, once nobody is answered with it. To be called once. */
    default void release() {}
}
