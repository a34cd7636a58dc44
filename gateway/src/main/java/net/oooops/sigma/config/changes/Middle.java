package net.oooops.sigma.config.changes;

import java.util.List;

/**
 * What is left of two lists without what is the same at their beginnings and at their ends: of two large configurations mostly next to nothing.
 *
 * @param before of the first one
 * @param after of the second one
 * @param sameCount how much was left away
 */
record Middle<T>(List<T> before, List<T> after, int sameCount) {
    static <T> Middle<T> of(List<T> before, List<T> after) {
        int most = Math.min(before.size(), after.size());
        int first = 0;
        while (first < most && isSame(before.get(first), after.get(first))) {
            first++;
        }
        int last = 0;
        while (last < most - first
                && isSame(before.get(before.size() - 1 - last), after.get(after.size() - 1 - last))) {
            last++;
        }
        return new Middle<>(
                before.subList(first, before.size() - last), after.subList(first, after.size() - last), first + last);
    }

    /** What was read again is mostly the same object, of which nobody needs to ask a record, which takes its time before it is compiled. */
    private static boolean isSame(Object before, Object after) {
        return before == after || before.equals(after);
    }
}
