package net.oooops.sigma.plugins.compression.coding;

import net.oooops.sigma.api.RefusedBodyException;

/** What is wrong with a packed body, in words. */
final class CodingFaults {
    private CodingFaults() {}

    static RefusedBodyException garbage(String coding, String why) {
        return new RefusedBodyException("the body is not " + coding + ": " + why);
    }

    static RefusedBodyException truncated(String coding) {
        return new RefusedBodyException("the body ends before its " + coding + " does (expected: all of it)");
    }

    static RefusedBodyException behindTheEnd(String coding) {
        return new RefusedBodyException("the body goes on behind the end of its " + coding + " (expected: nothing)");
    }
}
