package net.oooops.sigma.config;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Warns of settings that can't do what they say, because of others. */
final class EffectCheck {
    private final Json root;
    private final Problems warnings;

    EffectCheck(Json root, Problems warnings) {
        this.root = root;
        this.warnings = warnings;
    }

    void check() {
        ready();
        for (Json upstream : root.itemsOf("upstream")) {
            Json breaker = upstream.get("breaker");
            if (breaker != null) {
                trials(breaker.get("trials"), breaker.get("max-requests"));
            }
        }
        for (Json pass : root.itemsOf("proxy-pass")) {
            Json retry = pass.get("retry");
            if (retry != null) {
                kept(retry.get("body"));
            }
        }
    }

    /** An upstream without active checks counts as ready while it has nodes, which one by dns-srv may not have. */
    private void ready() {
        Json admin = IdCheck.admin(root);
        if (admin == null) {
            return;
        }
        Set<String> checked = new HashSet<>();
        for (Json upstream : root.itemsOf("upstream")) {
            Json health = upstream.get("health");
            if (upstream.get("dns-srv") != null || (health != null && health.get("active") != null)) {
                checked.add(upstream.text("id", ""));
            }
        }
        for (Json named : admin.itemsOf("ready-upstreams")) {
            if (!checked.contains(named.text())) {
                warnings.value(named, "an upstream with \"health.active\"; one without active checks is always ready");
            }
        }
    }

    private void trials(@Nullable Json trials, @Nullable Json requests) {
        if (trials != null
                && requests != null
                && trials.number().intValue() > requests.number().intValue()) {
            warnings.value(
                    trials, "<= " + requests.shown() + ", which \"max-requests\" is; so many trials at once, no more");
        }
    }

    /** All bodies that are kept to be sent again may take half of what collected ones may. */
    private void kept(@Nullable Json body) {
        Json runtime = root.get("runtime");
        Json memory = runtime == null ? null : runtime.get("body-memory");
        long all = memory == null ? RuntimeConfig.Memory.DEFAULT.bodyBytesMax() : Units.sizeBytes(memory.text());
        if (body != null && Units.sizeBytes(body.text()) > all / 2) {
            warnings.value(
                    body,
                    "<= half of \"runtime.body-memory\", which is " + (memory == null ? "32MiB" : memory.text())
                            + "; all bodies kept take no more, and a longer one isn't kept");
        }
    }
}
