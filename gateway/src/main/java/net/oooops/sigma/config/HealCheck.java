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
