package net.oooops.sigma.plugins.authentication;

import net.oooops.sigma.api.UnfitException;

/** The lines of a file that says who may come in. */
public final class FileLines {
    private FileLines() {}

    /**
     * All of them.
     *
     * @throws UnfitException where there is nothing but white space: so is a file that is being written anew, and nobody is to be locked out by that
     */
    public static String[] of(String text) {
        if (text.isBlank()) {
            throw new UnfitException("a line at least; where nobody may come in, a comment (#)");
        }
        return text.split("\n", -1);
    }
}
