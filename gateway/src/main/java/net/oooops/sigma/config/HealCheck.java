package net.oooops.sigma.config;

import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** What is said of nodes that fail, and of trying again, goes together. */
final class HealCheck {
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
            if (passive != null) {
                passive(passive);
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

    private void retry(Json pass, Json retry, Protocol protocol) {
        if (protocol != Protocol.HTTP) {
            problems.key(
                    retry,
                    "\"retry\"",
                    "no such key with " + protocol.name().toLowerCase(Locale.ROOT)
                            + ":// nodes; nothing that was sent is sent again there",
                    null);
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
        if (value == null
                || !value.isText()
                || problems.has(value)
                || value.text().equals("none")) {
            return value == null ? otherwise : 0;
        }
        return Units.durationNanos(value.text());
    }
}
