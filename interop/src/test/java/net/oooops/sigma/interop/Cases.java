package net.oooops.sigma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Tries cases one by one, as the scripts do, for clients of Java. */
final class Cases {
    static final String COOKIE = "big=" + "x".repeat(6144) + "; a=1; b=2; c=3";

    private static final int BODY_BYTES = 1 << 20;

    private final List<Outcome> outcomes = new ArrayList<>();

    /** A case. */
    interface Case {
        void run() throws Exception;
    }

    /** 1 MiB of anything. */
    static byte[] body() {
        byte[] body = new byte[BODY_BYTES];
        new Random(1).nextBytes(body);
        return body;
    }

    Cases attempt(String name, Case tried) {
        try {
            tried.run();
            outcomes.add(Outcome.passed(name));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } catch (Exception | AssertionError e) {
            outcomes.add(Outcome.failed(name, e));
        }
        return this;
    }

    Cases cannot(String name, String why) {
        outcomes.add(Outcome.cannot(name, why));
        return this;
    }

    List<Outcome> outcomes() {
        return outcomes;
    }
}
