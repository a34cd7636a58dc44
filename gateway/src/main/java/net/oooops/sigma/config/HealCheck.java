package net.oooops.sigma.config;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** What is said of nodes that fail, and of trying again, goes together, and with what the nodes speak. */
final class HealCheck {
    /** The {@code try-timeout} that isn't one where its node answers others. */
    static final String AUTO = "auto";

    private static final String COMPARED = "compared-requests";
    /** What only answers tell, which sessions have none of. */
    private static final List<String> OF_ANSWERS =
            List.of("consecutive-timeouts", "consecutive-errors", "silence", "interval", COMPARED);

    private static final List<String> OF_EJECTIONS = List.of(
            "consecutive-faults",
            "consecutive-timeouts",
            "consecutive-errors",
            "silence",
            "interval",
            COMPARED,
            "ejection-time",
            "max-ejection-time",
            "max-ejected",
            "trials");
    private static final List<String> OF_RETRIES =
            List.of("tries", "statuses", "try-timeout", "timeout", "body", "any-method");

    private final Json root;
    private final Problems problems;

    HealCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        for (Json upstream : root.itemsOf("upstream")) {
            Json health = upstream.get("health");
            Json passive = health == null ? null : health.get("passive");
            Protocol protocol = ProtocolCheck.protocol(upstream);
            if (passive != null) {
                passive(passive);
                foreign(passive, protocol);
            }
            Json budget = upstream.get("retry-budget");
            if (budget != null && protocol == Protocol.UDP) {
                problems.key(budget, "\"retry-budget\"", without(protocol) + "; nothing is sent again there", null);
            }
        }
        Map<String, Protocol> upstreams = ProtocolCheck.upstreams(root);
        for (Json pass : root.itemsOf("proxy-pass")) {
            Json retry = pass.get("retry");
            if (retry != null) {
                retry(pass, retry, upstreams.getOrDefault(pass.text("upstream-id", ""), Protocol.HTTP));
            }
        }
    }

    private void passive(Json passive) {
        PassiveConfig otherwise = PassiveConfig.DEFAULT;
        notLonger(
                passive, "ejection-time", otherwise.ejectionNanos(), "max-ejection-time", otherwise.ejectionNanosMax());
    }

    private void foreign(Json passive, Protocol protocol) {
        if (protocol == Protocol.HTTP || protocol == Protocol.BOLT) {
            return;
        }
        for (String key : OF_ANSWERS) {
            Json value = passive.get(key);
            if (value != null) {
                problems.key(value, Json.quoted(key), without(protocol) + "; answers aren't judged there", null);
            }
        }
    }

    private static String without(Protocol protocol) {
        return "no such key with " + protocol.name().toLowerCase(Locale.ROOT) + ":// nodes";
    }

    /** What has no effect, as what it belongs to is switched off. */
    static void warn(Json root, Problems warnings) {
        for (Json pass : root.itemsOf("proxy-pass")) {
            Json retry = pass.get("retry");
            if (retry != null && !retry.flag("enable", true)) {
                idle(retry, OF_RETRIES, "\"enable\": true beside it; what was sent isn't sent again without", warnings);
            }
        }
        for (Json upstream : root.itemsOf("upstream")) {
            Json health = upstream.get("health");
            Json passive = health == null ? null : health.get("passive");
            if (passive != null && !passive.flag("enable", true)) {
                idle(passive, OF_EJECTIONS, "\"enable\": true beside it; no node is ejected without", warnings);
            } else if (passive != null && passive.integer(COMPARED, 1) == 0) {
                idle(
                        passive,
                        List.of("interval"),
                        "\"compared-requests\" above 0; no node is compared without",
                        warnings);
            }
            Json breaker = upstream.get("breaker");
            Json adaptive = breaker == null ? null : breaker.get("adaptive");
            if (adaptive != null && !adaptive.flag("enable", false)) {
                List<String> limits = List.of("min-limit", "max-limit", "tolerance");
                idle(adaptive, limits, "\"enable\": true beside it; no limit is found out without", warnings);
            }
        }
    }

    private static void idle(Json section, List<String> keys, String expected, Problems warnings) {
        for (String key : keys) {
            Json value = section.get(key);
            if (value != null) {
                warnings.key(value, Json.quoted(key), expected, null);
            }
        }
    }

    private void retry(Json pass, Json retry, Protocol protocol) {
        if (protocol != Protocol.HTTP) {
            problems.key(retry, "\"retry\"", without(protocol) + "; nothing that was sent is sent again there", null);
            return;
        }
        RetryConfig otherwise = RetryConfig.DEFAULT;
        notLonger(retry, "try-timeout", 0, "timeout", otherwise.totalNanos());
        Json tries = retry.get("try-timeout");
        Json timeout = pass.get("timeout");
        Json response = timeout == null || timeout.isText() ? timeout : timeout.get("response");
        long all = nanos(response, ProxyPassConfig.RESPONSE_TIMEOUT_NANOS_DEFAULT);
        if (tries != null && !problems.has(tries) && nanos(tries, 0) > all && all > 0) {
            problems.value(tries, "at most the \"timeout\" of its proxy-pass, or \"none\"");
        }
        Json hedge = retry.get("hedge");
        if (hedge != null && hedge.flag("enable", HedgeConfig.DEFAULT.enabled())) {
            hedge(retry, hedge, all);
        }
    }

    /** A hedge is a retry: where there is none, or it would come first, nothing is ever hedged. */
    private void hedge(Json retry, Json hedge, long responseNanos) {
        RetryConfig otherwise = RetryConfig.DEFAULT;
        Json enable = hedge.get("enable");
        boolean retries = retry.flag("enable", true) && retry.integer("tries", otherwise.triesMax()) > 1;
        if (!retries && enable != null && !problems.has(enable)) {
            problems.value(enable, "false, or \"enable\": true and 2 \"tries\" or more in \"retry\"");
        }
        Json delay = hedge.get("min-delay");
        long tryNanos = nanos(retry.get("try-timeout"), otherwise.tryNanos());
        long most = tryNanos == 0 ? responseNanos : tryNanos;
        if (delay != null && most > 0 && nanos(delay, 0) >= most) {
            problems.value(delay, "less than \"try-timeout\", and than the \"timeout\" of its proxy-pass");
        }
    }

    private void notLonger(Json section, String key, long keyOtherwise, String bound, long boundOtherwise) {
        Json shorter = section.get(key);
        Json longer = section.get(bound);
        if (nanos(shorter, keyOtherwise) <= nanos(longer, boundOtherwise)) {
            return;
        }
        if (shorter != null) {
            problems.value(shorter, "at most " + Json.quoted(bound));
        } else if (longer != null) {
            problems.value(longer, "at least " + Json.quoted(key));
        }
    }

    private long nanos(@Nullable Json value, long otherwise) {
        if (value == null || (value.isText() && value.text().equals(AUTO))) {
            return otherwise;
        }
        if (!value.isText() || problems.has(value) || value.text().equals("none")) {
            return 0;
        }
        return Units.durationNanos(value.text());
    }
}
