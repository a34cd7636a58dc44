package net.oooops.sigma.plugins.authentication.keyauth;

import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.plugins.authentication.CredentialPlugin;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.Terms;

/**
 * Finds who a request is from by the SHA-256 of its key. A fast hash is the right one here: a key is made by a machine and has more bits than
 * anybody tries out, unlike a password.
 */
final class KeyAuth extends CredentialPlugin {
    /** How requests are refused. */
    record Refusals(Outcome missing, Outcome malformed, Outcome unknown) {}

    private final int keyCharsMax;
    private final Refusals refusals;
    private volatile Map<Digest, Consumer> consumers = Map.of();

    KeyAuth(Terms terms, int keyCharsMax, Refusals refusals) {
        super(terms, refusals.missing);
        this.keyCharsMax = keyCharsMax;
        this.refusals = refusals;
    }

    /** Whose each key is, from now on. */
    void consumers(Map<Digest, Consumer> byKey) {
        consumers = Map.copyOf(byKey);
    }

    @Override
    protected Outcome judge(Exchange exchange, String key) {
        if (key.length() > keyCharsMax || !isKey(key)) {
            return refusals.malformed;
        }
        Consumer consumer = consumers.get(Digest.of(key));
        return consumer == null ? refusals.unknown : accept(exchange, consumer);
    }

    /** Visible characters of ASCII, one at least. */
    static boolean isKey(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) >= 0x7F) {
                return false;
            }
        }
        return !text.isEmpty();
    }
}
