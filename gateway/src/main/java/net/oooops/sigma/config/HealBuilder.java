package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;

/** Makes records of what is said of nodes that fail: how they are judged, and when a request is tried again. */
final class HealBuilder {
    private HealBuilder() {}

    static PassiveConfig passive(Json section) {
        PassiveConfig otherwise = PassiveConfig.DEFAULT;
        return new PassiveConfig(
                section.flag("enable", otherwise.enabled()),
                section.integer("consecutive-faults", otherwise.faultsMax()),
                section.integer("consecutive-timeouts", otherwise.timeoutsMax()),
                section.integer("consecutive-errors", otherwise.errorsMax()),
                nanosOrNone(section, "silence", otherwise.silenceNanos()),
                SectionBuilder.nanos(section, "interval", otherwise.intervalNanos()),
                section.integer("compared-requests", otherwise.comparedMin()),
                SectionBuilder.nanos(section, "ejection-time", otherwise.ejectionNanos()),
                SectionBuilder.nanos(section, "max-ejection-time", otherwise.ejectionNanosMax()),
                section.integer("max-ejected", otherwise.ejectedPercentMax()),
                section.integer("panic-threshold", otherwise.panicPercent()),
                section.integer("trials", otherwise.trials()),
                nanosOrNone(section, "slow-start", otherwise.slowStartNanos()));
    }

    static RetryBudgetConfig budget(Json section) {
        RetryBudgetConfig otherwise = RetryBudgetConfig.DEFAULT;
        return new RetryBudgetConfig(
                section.integer("percent", otherwise.percent()),
                section.integer("per-second", otherwise.perSecondMin()));
    }

    static BreakerConfig breaker(Json section) {
        BreakerConfig otherwise = BreakerConfig.DEFAULT;
        Json adaptive = ConfigBuilder.section(section, "adaptive");
        BreakerConfig.Adaptive limit = otherwise.adaptive();
        return new BreakerConfig(
                section.integer("max-connections", otherwise.connectionsMax()),
                section.integer("max-pending", otherwise.pendingMax()),
                section.integer("max-requests", otherwise.requestsMax()),
                section.integer("max-retries", otherwise.retriesMax()),
                section.integer("error-rate", otherwise.errorPercent()),
                SectionBuilder.nanos(section, "interval", otherwise.intervalNanos()),
                section.integer("min-requests", otherwise.requestsMin()),
                SectionBuilder.nanos(section, "open-time", otherwise.openNanos()),
                section.integer("trials", otherwise.trials()),
                new BreakerConfig.Adaptive(
                        adaptive.flag("enable", limit.enabled()),
                        adaptive.integer("min-limit", limit.limitMin()),
                        adaptive.integer("max-limit", limit.limitMax()),
                        adaptive.integer("tolerance", limit.tolerancePercent())));
    }

    static RetryConfig retry(Json section) {
        RetryConfig otherwise = RetryConfig.DEFAULT;
        Json hedge = ConfigBuilder.section(section, "hedge");
        List<Integer> statuses = new ArrayList<>();
        section.itemsOf("statuses")
                .forEach(status -> statuses.add(status.number().intValue()));
        return new RetryConfig(
                section.flag("enable", true) ? section.integer("tries", otherwise.triesMax()) : 1,
                section.get("statuses") == null ? otherwise.statuses() : statuses,
                isAuto(section) ? otherwise.tryNanos() : nanosOrNone(section, "try-timeout", otherwise.tryNanos()),
                isAuto(section),
                SectionBuilder.nanos(section, "timeout", otherwise.totalNanos()),
                SectionBuilder.bytes(section, "body", otherwise.bodyBytesMax()),
                section.flag("any-method", otherwise.anyMethod()),
                new HedgeConfig(
                        hedge.flag("enable", otherwise.hedge().enabled()),
                        SectionBuilder.nanos(
                                hedge, "min-delay", otherwise.hedge().delayNanosMin()),
                        hedge.integer("percent", otherwise.hedge().percentMax())));
    }

    private static boolean isAuto(Json retry) {
        return retry.text("try-timeout", HealCheck.AUTO).equals(HealCheck.AUTO);
    }

    /** 0 where it says {@code none}. */
    static long nanosOrNone(Json section, String key, long otherwise) {
        return section.text(key, "").equals("none") ? 0 : SectionBuilder.nanos(section, key, otherwise);
    }
}
