package net.oooops.sigma.plugins.authentication.jose;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of the claims of a verified token (RFC 7519 section 4.1), and what becomes of them. Immutable.
 *
 * @param types {@code typ}s in lower case, one of which a token has to have; empty: JWT and at+jwt, or none
 * @param issuers of which a token has to name one; empty: anything
 * @param audiences of which a token has to be for one; empty: anything
 * @param required claims that have to be there
 * @param fields what nodes are told, and by which claim
 */
public record Rules(
        Set<String> types,
        Set<String> issuers,
        Set<String> audiences,
        Set<String> required,
        long skewMillis,
        String consumerClaim,
        Map<FieldName, String> fields) {
    private static final int VALUE_CHARS_MAX = 1_024;

    /** What a number of seconds is at most, in milliseconds: beyond it is for ever. */
    private static final double MILLIS_MAX = 1e17;

    /** Whether a token of that {@code typ} is one for here: not a token of another kind with the same keys (RFC 8725 section 3.11). */
    public boolean takesType(@Nullable String type) {
        if (types.isEmpty()) {
            return type == null || type.equalsIgnoreCase("JWT") || type.equalsIgnoreCase("at+jwt");
        }
        return type != null && types.contains(type.toLowerCase(Locale.ROOT));
    }

    /** Why a token with these claims is refused now, or null. */
    public @Nullable Refusal refusal(Map<String, Object> claims, long nowMillis) {
        for (String name : List.of("exp", "nbf", "iat")) {
            if (claims.containsKey(name) && !(claims.get(name) instanceof Number)) {
                return Refusal.MALFORMED;
            }
        }
        if (nowMillis >= untilMillis(claims)) {
            return Refusal.EXPIRED;
        }
        if (millis(claims, "nbf", 0) > nowMillis + skewMillis || millis(claims, "iat", 0) > nowMillis + skewMillis) {
            return Refusal.NOT_YET;
        }
        if (!issuers.isEmpty() && !(claims.get("iss") instanceof String issuer && issuers.contains(issuer))) {
            return Refusal.WRONG_ISSUER;
        }
        if (!audiences.isEmpty() && !isFor(claims.get("aud"))) {
            return Refusal.WRONG_AUDIENCE;
        }
        if (!claims.keySet().containsAll(required)) {
            return Refusal.MISSING_CLAIM;
        }
        Object consumer = claims.get(consumerClaim);
        return consumer instanceof String id && Consumer.isId(id) ? null : Refusal.UNFIT_CONSUMER;
    }

    private boolean isFor(@Nullable Object audience) {
        if (audience instanceof List<?> several) {
            return several.stream().anyMatch(each -> each instanceof String text && audiences.contains(text));
        }
        return audience instanceof String one && audiences.contains(one);
    }

    /** From when on it has expired. */
    public long untilMillis(Map<String, Object> claims) {
        return millis(claims, "exp", Long.MAX_VALUE - skewMillis) + skewMillis;
    }

    private static long millis(Map<String, Object> claims, String name, long absent) {
        return claims.get(name) instanceof Number seconds
                ? (long) Math.clamp(seconds.doubleValue() * 1_000, -MILLIS_MAX, MILLIS_MAX)
                : absent;
    }

    /** Whom claims that aren't refused are of. */
    public Consumer consumer(Map<String, Object> claims) {
        List<Field> found = new ArrayList<>();
        fields.forEach((name, claim) -> {
            String value = text(claims.get(claim));
            if (value != null && value.length() <= VALUE_CHARS_MAX && Field.isValue(value)) {
                found.add(Field.of(name, value));
            }
        });
        return Consumer.of(String.valueOf(claims.get(consumerClaim)), found.toArray(Field[]::new));
    }

    /** A claim as a field's value; null where there is none for it: of objects, and of lists whose elements couldn't be told apart. */
    private static @Nullable String text(@Nullable Object claim) {
        if (!(claim instanceof List<?> list)) {
            return claim instanceof String || claim instanceof Number || claim instanceof Boolean
                    ? claim.toString()
                    : null;
        }
        StringBuilder joined = new StringBuilder();
        for (Object each : list) {
            String element = each instanceof List<?> ? null : text(each);
            if (element == null || element.isEmpty() || element.indexOf(',') >= 0) {
                return null;
            }
            joined.append(joined.isEmpty() ? "" : ",").append(element);
        }
        return joined.toString();
    }
}
