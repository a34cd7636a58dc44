package net.oooops.sigma.config;

import javax.crypto.SecretKey;
import net.oooops.sigma.config.HashConfig.By;
import org.jspecify.annotations.Nullable;

/** Makes records of how an upstream's node is chosen. */
final class BalanceBuilder {

    private BalanceBuilder() {}

    static @Nullable HashConfig hash(@Nullable Json hash) {
        if (hash == null) {
            return null;
        }
        Json maxLoad = hash.get("max-load");
        double bound = maxLoad == null
                ? HashConfig.MAX_LOAD_DEFAULT
                : maxLoad.isText() ? HashConfig.UNBOUNDED : maxLoad.number().doubleValue();
        for (By by : By.values()) {
            Json name = hash.get(key(by));
            if (name != null) {
                return new HashConfig(by, name.text(), bound);
            }
        }
        throw new IllegalArgumentException("hash by nothing (expected: one of the parts of a request)");
    }

    private static String key(By by) {
        return switch (by) {
            case FIELD -> "field";
            case COOKIE -> "cookie";
            case QUERY -> "query";
            case CLIENT_ADDRESS -> "client-address";
            case PATH -> "path";
        };
    }

    static @Nullable StickyConfig sticky(@Nullable Json sticky, @Nullable SecretKey key) {
        if (sticky == null) {
            return null;
        }
        Json maxAge = sticky.get("max-age");
        return new StickyConfig(
                sticky.text("name", StickyConfig.NAME_DEFAULT),
                sticky.text("path", "/"),
                maxAge == null ? StickyConfig.SESSION : BalanceCheck.maxAge(maxAge),
                ConfigBuilder.choice(StickyConfig.Secure.class, sticky.text("secure", "auto")),
                sticky.flag("http-only", true),
                ConfigBuilder.choice(StickyConfig.SameSite.class, sticky.text("same-site", "lax")),
                key);
    }
}
