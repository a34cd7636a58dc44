package net.oooops.sigma.config;

import java.util.List;
import java.util.Locale;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** What is written of how an upstream's node is chosen goes together, and with what its nodes speak. */
final class BalanceCheck {
    private static final String CONSISTENT_HASH = "consistent-hash";
    /** What of a request sessions and calls have none of. */
    private static final List<String> OF_HTTP = List.of("field", "cookie", "query", "path");

    private static final String HOST_PREFIX = "__host-";
    private static final String SECURE_PREFIX = "__secure-";

    private final Json root;
    private final Problems problems;

    BalanceCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        for (Json upstream : root.itemsOf("upstream")) {
            Protocol protocol = ProtocolCheck.protocol(upstream);
            Json strategy = upstream.get("rule-strategy");
            Json hash = upstream.get("hash");
            boolean hashes = upstream.text("rule-strategy", "").equals(CONSISTENT_HASH);
            if (strategy != null && hashes && hash == null) {
                problems.value(strategy, "another one, or \"hash\" beside it that says what of a request is hashed");
            } else if (hash != null && !hashes) {
                problems.key(hash, "\"hash\"", "\"rule-strategy\": \"" + CONSISTENT_HASH + "\" beside it", null);
            } else if (hash != null) {
                hash(hash, protocol);
            }
            Json sticky = upstream.get("sticky");
            if (sticky != null && protocol != Protocol.HTTP) {
                problems.key(sticky, "\"sticky\"", "no such key with " + scheme(protocol) + " nodes", null);
            } else if (sticky != null) {
                sticky(sticky);
            }
        }
    }

    private static String scheme(Protocol protocol) {
        return protocol.name().toLowerCase(Locale.ROOT) + "://";
    }

    private void hash(Json hash, Protocol protocol) {
        problems.text(hash.get("field"), TextSyntax.FIELD_NAME);
        for (String key : OF_HTTP) {
            Json by = hash.get(key);
            if (by != null && protocol != Protocol.HTTP && !problems.has(hash)) {
                String expected = "\"client-address\", which is all there is with " + scheme(protocol) + " nodes";
                problems.key(by, Json.quoted(key), expected, null);
            }
        }
    }

    private void sticky(Json sticky) {
        Json file = sticky.get("key-file");
        if (file != null && sticky.get("key") != null) {
            problems.key(file, "\"key-file\" and \"key\"", "one of them", null);
        }
        Json maxAge = sticky.get("max-age");
        if (maxAge != null && !problems.has(maxAge) && maxAge(maxAge) < 1) {
            problems.value(maxAge, ">= 1s");
        }
        secure(sticky);
    }

    /** The seconds of a duration; browsers know nothing shorter. */
    static long maxAge(Json duration) {
        return Units.durationNanos(duration.text()) / 1_000_000_000L;
    }

    /** What browsers refuse, or take for something else, unless the cookie always has Secure. */
    private void secure(Json sticky) {
        boolean always = sticky.text("secure", "auto").equals("always");
        Json sameSite = sticky.get("same-site");
        if (sameSite != null && sameSite.text().equals("none") && !always) {
            problems.value(sameSite, "another one, or \"secure\": \"always\" beside it; browsers refuse it without");
        }
        Json name = sticky.get("name");
        String prefix = name == null ? null : prefix(name.text().toLowerCase(Locale.ROOT));
        if (name == null || prefix == null || problems.has(name)) {
            return;
        }
        if (!always) {
            problems.value(name, "another one, or \"secure\": \"always\" beside it; browsers refuse it without");
        } else if (prefix.equals(HOST_PREFIX) && !sticky.text("path", "/").equals("/")) {
            problems.value(name, "another one, or \"path\": \"/\" beside it; browsers refuse it without");
        }
    }

    private static @Nullable String prefix(String name) {
        if (name.startsWith(HOST_PREFIX)) {
            return HOST_PREFIX;
        }
        return name.startsWith(SECURE_PREFIX) ? SECURE_PREFIX : null;
    }
}
