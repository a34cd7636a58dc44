package net.oooops.sigma.plugins.staticresources;

import java.util.List;

/** What a path led to when it was looked at. Immutable. */
sealed interface Kept {
    /** Nothing. */
    record Missing() implements Kept {}

    /** A directory, named without the slash at its end. */
    record Redirect() implements Kept {}

    /**
     * A file.
     *
     * @param plain as it is
     * @param coded what there is of it in other codings, the one that the server likes best first
     */
    record Files(ServedFile plain, List<ServedFile> coded) implements Kept {
        /** How much of it is in memory. */
        long keptBytes() {
            long sum = bytesOf(plain);
            for (ServedFile each : coded) {
                sum += bytesOf(each);
            }
            return sum;
        }

        private static long bytesOf(ServedFile file) {
            byte[] content = file.content();
            return content == null ? 0 : content.length;
        }
    }

    Kept MISSING = new Missing();
    Kept REDIRECT = new Redirect();
}
