package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/** Name servers are addresses, and the bounds on how long answers are kept go together. */
final class DnsCheck {
    private static final String LEAST = "min-ttl";
    private static final String MOST = "max-ttl";

    private final Problems problems;

    DnsCheck(Problems problems) {
        this.problems = problems;
    }

    void check(Json root) {
        Json runtime = root.get("runtime");
        Json dns = runtime == null ? null : runtime.get("dns");
        if (dns == null) {
            return;
        }
        problems.texts(dns.itemsOf("servers"), TextSyntax.NAME_SERVER);
        Json least = dns.get(LEAST);
        Json most = dns.get(MOST);
        whole(least);
        whole(most);
        boolean fit = (least == null || !problems.has(least)) && (most == null || !problems.has(most));
        if (fit
                && seconds(least, DnsConfig.DEFAULT.ttlSecondsMin())
                        > seconds(most, DnsConfig.DEFAULT.ttlSecondsMax())) {
            if (most == null && least != null) {
                problems.value(least, "<= 5m, which \"max-ttl\" is where it is left out");
            } else if (most != null) {
                problems.value(most, ">= " + (least == null ? "1s" : least.text()) + ", which \"min-ttl\" is");
            }
        }
    }

    /** Name servers say it in seconds. */
    private void whole(@Nullable Json ttl) {
        if (ttl != null
                && ttl.isText()
                && !problems.has(ttl)
                && Units.durationNanos(ttl.text()) % 1_000_000_000L != 0) {
            problems.value(ttl, "whole seconds, >= 1s");
        }
    }

    static int seconds(@Nullable Json ttl, int otherwise) {
        return ttl == null || !ttl.isText()
                ? otherwise
                : (int) Math.min(Integer.MAX_VALUE, Units.durationNanos(ttl.text()) / 1_000_000_000L);
    }
}
