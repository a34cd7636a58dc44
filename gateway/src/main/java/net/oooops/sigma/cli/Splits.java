package net.oooops.sigma.cli;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** What sigma.json says of where requests go that {@code traffic-split} sends by chance: no answer is one of theirs. */
final class Splits {
    private static final BigDecimal ALL = BigDecimal.valueOf(100);
    /** How a cookie names the way of those that aren't sent elsewhere. */
    private static final String OF_THE_ROUTE = "-";

    private Splits() {}

    /** Where a request goes, in words; null where the plugin is to be asked, as nothing is left to chance. */
    static @Nullable String byChance(Settings settings, Exchange exchange) {
        BigDecimal rest = ALL;
        List<String> ways = new ArrayList<>();
        List<String> named = new ArrayList<>();
        for (Settings split : settings.get("splits").elements()) {
            BigDecimal percent = BigDecimal.valueOf(split.get("percent").number(0));
            rest = rest.subtract(percent);
            if (percent.signum() > 0) {
                String target = split.get("proxy-pass-id").string();
                named.add(target);
                ways.add(told(percent) + " to proxy-pass " + target);
            }
        }
        if (rest.signum() > 0) {
            named.add(OF_THE_ROUTE);
        }
        if (ways.isEmpty()) {
            return "lets it pass: 0 % go to another proxy-pass";
        }
        if ((ways.size() == 1 && rest.signum() == 0) || isDecided(settings, named, exchange)) {
            return null;
        }
        String others = rest.signum() > 0
                ? ", " + told(rest) + " as the route says; shown is the route's way"
                : "; shown is the route's way, which none of them takes";
        return "by chance: " + String.join(", ", ways) + others;
    }

    private static String told(BigDecimal percent) {
        return percent.stripTrailingZeros().toPlainString() + " %";
    }

    /** By what the request is, or by a way that its cookie names. */
    private static boolean isDecided(Settings settings, List<String> named, Exchange exchange) {
        Settings cookie = settings.get("cookie");
        if (cookie.isPresent()
                && exchange.request().cookies(CookieName.of(cookie.string())).stream()
                        .anyMatch(named::contains)) {
            return true;
        }
        return switch (settings.get("by").string("random")) {
            case "address" -> true;
            case "consumer" -> exchange.consumer() != null;
            case "header" ->
                exchange.request().has(FieldName.of(settings.get("header").string()));
            default -> false;
        };
    }
}
