package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/** What one message may hold isn't more than all of them together. */
final class MemoryCheck {
    private static final String BODIES = "body-memory";
    private static final String CALLS = "call-memory";

    private final Json root;
    private final Problems problems;

    MemoryCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        RuntimeConfig.Memory otherwise = RuntimeConfig.Memory.DEFAULT;
        limits(root.get("limits"), otherwise);
        for (Json server : IdCheck.servers(root)) {
            limits(server.get("limits"), otherwise);
            atMost(server.get("max-content-length"), BODIES, otherwise.bodyBytesMax());
        }
        for (Json server : IdCheck.boltServers(root)) {
            if (!BoltCheck.isRelay(server)) {
                unsent(server.get("max-unsent"), otherwise.callBytesMax());
            }
        }
    }

    private void limits(@Nullable Json limits, RuntimeConfig.Memory otherwise) {
        if (limits != null) {
            atMost(limits.get("buffered-body"), BODIES, otherwise.bodyBytesMax());
        }
    }

    private void unsent(@Nullable Json unsent, int otherwise) {
        Json calls = runtime(CALLS);
        if (unsent != null) {
            atMost(unsent, CALLS, otherwise);
        } else if (calls != null && !problems.has(calls)) {
            int least = BoltListenerConfig.Bounds.DEFAULT.unsentBytesMax();
            if (Units.sizeBytes(calls.text()) < least) {
                problems.value(calls, ">= 16MiB, which \"max-unsent\" is");
            }
        }
    }

    private void atMost(@Nullable Json one, String key, int otherwise) {
        Json all = runtime(key);
        if (one == null || problems.has(one) || (all != null && problems.has(all))) {
            return;
        }
        long bound = all == null ? otherwise : Units.sizeBytes(all.text());
        if (Units.sizeBytes(one.text()) > bound) {
            problems.value(
                    one,
                    "<= " + (all == null ? "32MiB" : all.text()) + ", which " + Json.quoted("runtime." + key) + " is");
        }
    }

    private @Nullable Json runtime(String key) {
        Json runtime = root.get("runtime");
        return runtime == null ? null : runtime.get(key);
    }
}
