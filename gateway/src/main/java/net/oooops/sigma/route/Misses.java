package net.oooops.sigma.route;

import net.oooops.sigma.route.RouteMatch.Miss;

/** Which answer is due where several routes have the path and none is taken: that of the one that came furthest. */
final class Misses {
    private Misses() {}

    /** The verdict that decides the answer. */
    static Verdict further(Verdict one, Verdict other) {
        return rank(one) >= rank(other) ? one : other;
    }

    static Miss of(Verdict furthest) {
        return switch (furthest) {
            case METHOD -> Miss.METHOD_NOT_ALLOWED;
            case CONSUMES -> Miss.UNSUPPORTED_MEDIA_TYPE;
            case PRODUCES -> Miss.NOT_ACCEPTABLE;
            default -> Miss.NO_ROUTE;
        };
    }

    private static int rank(Verdict verdict) {
        return switch (verdict) {
            case METHOD -> 1;
            // After the method: that method is not to be answered with 405. Before the others: they say more than 404.
            case HEADER, QUERY -> 2;
            case CONSUMES -> 3;
            case PRODUCES -> 4;
            default -> 0;
        };
    }
}
