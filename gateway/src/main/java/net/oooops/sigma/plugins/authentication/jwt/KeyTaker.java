package net.oooops.sigma.plugins.authentication.jwt;

import java.util.Set;
import java.util.function.Consumer;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.JwkReader;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the sets of one place for one plugin. A set is an answer, whatever is in it: a key that isn't any more verifies nothing from then on, also
 * where none is left, which the log says. What is no set is refused. One at a time.
 */
final class KeyTaker implements RemoteKeys.Taker {
    private static final Logger LOG = LoggerFactory.getLogger(KeyTaker.class);

    private final String place;
    private final KeySet own;
    private final Set<Algorithm> allowed;
    private final Consumer<KeySet> plugin;
    private volatile boolean needsOne;

    /**
     * One for the place of that name.
     *
     * @param own keys that are there in any case
     * @param needsOne whether the first set has to have a key: in what somebody is about to run, an empty one is a mistake
     */
    KeyTaker(String place, KeySet own, Set<Algorithm> allowed, boolean needsOne, Consumer<KeySet> plugin) {
        this.place = place;
        this.own = own;
        this.allowed = allowed;
        this.needsOne = needsOne;
        this.plugin = plugin;
    }

    @Override
    public void accept(String text) {
        take(text, needsOne);
    }

    /** One for whom other algorithms held may have had keys of which none is left. */
    @Override
    public void acceptOfBefore(String text) {
        take(text, own.keys().isEmpty());
    }

    private void take(String text, boolean oneAtLeast) {
        JwkReader.Found found = JwkReader.set(text, allowed);
        if (found.isEmpty() && oneAtLeast) {
            throw new UnfitException(
                    "at least one public key for signatures by " + allowed + " (" + found.summary() + ")");
        }
        plugin.accept(own.with(found.usable()));
        needsOne = false;
        if (found.isEmpty()) {
            LOG.warn("{}: no usable key for signatures by {} ({})", place, allowed, found.summary());
        } else if (!found.leftOut().isEmpty()) {
            LOG.info("{}: not all keys can be used ({})", place, found.summary());
        }
    }
}
