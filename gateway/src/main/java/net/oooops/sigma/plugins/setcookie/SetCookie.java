package net.oooops.sigma.plugins.setcookie;

import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.ResponseHead;

/**
 * Changes cookies that responses set. Each field stays one, in its place among the others of that name. Allocates where there is one.
 *
 * @param rules of which the first one that is for a cookie counts
 */
record SetCookie(List<Rule> rules) implements Plugin {
    private static final FieldName SET_COOKIE = FieldName.of("Set-Cookie");

    @Override
    public Needs needs() {
        return Needs.RESPONSE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        ResponseHead response = exchange.response();
        if (response.has(SET_COOKIE)) {
            edit(response, response.values(SET_COOKIE).toArray(String[]::new));
        }
        return Outcome.CONTINUE;
    }

    private void edit(ResponseHead response, String[] values) {
        boolean isChanged = false;
        for (int i = 0; i < values.length; i++) {
            Cookie cookie = Cookie.of(values[i]);
            if (cookie != null) {
                apply(cookie);
                values[i] = cookie.isChanged() ? cookie.text() : values[i];
                isChanged |= cookie.isChanged();
            }
        }
        if (!isChanged) {
            return;
        }
        response.remove(SET_COOKIE);
        for (String value : values) {
            // Browsers take no cookie with a control character.
            if (Field.isValue(value)) {
                response.add(Field.of(SET_COOKIE, value));
            }
        }
    }

    private void apply(Cookie cookie) {
        for (Rule rule : rules) {
            if (rule.isFor(cookie.name())) {
                cookie.apply(rule);
                return;
            }
        }
    }
}
