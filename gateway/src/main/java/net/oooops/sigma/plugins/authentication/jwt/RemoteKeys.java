package net.oooops.sigma.plugins.authentication.jwt;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.plugins.authentication.jose.JwkReader;
import org.jspecify.annotations.Nullable;

/**
 * What one plugin has of keys that are fetched from a URL, which only sigma.json names. Whoever takes its place at a reload and wants the same goes
 * on with the same {@link Fetching}, so that nothing is fetched twice, and what is being fetched is for both.
 *
 * <p>{@link #fetch}: any thread. The others: the threads that a plugin is started and closed on, and {@link #take} one at a time.
 */
final class RemoteKeys {
    /**
     * What is fetched, and how.
     *
     * @param trust whose certificates are trusted; null: those that the JDK trusts
     * @param lifetime after which keys are fetched again
     * @param pause that is between two times at least
     */
    record Wanted(URI url, @Nullable Trust trust, Duration lifetime, Duration pause, Duration timeout) {
        /** Whether what was fetched for one is what the other would get: from there, and by whom it trusts. */
        boolean isOfSameSource(Wanted other) {
            return url.equals(other.url) && Objects.equals(trust, other.trust);
        }

        /** The same for who asks in another process: what it was fetched from. */
        private String source() {
            return LEFT_FORM + url + '\n' + (trust == null ? "" : trust.fingerprint()) + '\n';
        }
    }

    /** Takes the text of a JWK Set; throws UnfitException where it is none. One without keys is an answer. One at a time. */
    @FunctionalInterface
    interface Taker extends Consumer<String> {
        /** Takes one that was fetched for another plugin; throws UnfitException also where that leaves no key to verify with. */
        default void acceptOfBefore(String text) {
            accept(text);
        }
    }

    /** What is left to another process begins with it: with another version it changes. */
    private static final String LEFT_FORM = "jwks 1\n";

    private final Taker taker;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Fetching fetching;
    private volatile @Nullable Object taken;
    private volatile @Nullable String refused;

    RemoteKeys(Wanted wanted, Taker taker, PluginContext.Counter failures) {
        this(new Fetching(wanted, failures, Asking::overHttp), taker);
    }

    /** @param fetching that nobody else has */
    RemoteKeys(Fetching fetching, Taker taker) {
        this.fetching = fetching;
        this.taker = taker;
    }

    /**
     * Takes what another has fetched from there, where that trusts the same certificates, and goes on with its fetching, where that is the same and hasn't
     * ended. Before {@link #start}. Keys that are none for this one are left.
     */
    void takeOver(RemoteKeys before) {
        Fetching theirs = before.fetching;
        if (!theirs.wanted().isOfSameSource(fetching.wanted())) {
            return;
        }
        String last = theirs.text();
        if (theirs.wanted().equals(fetching.wanted()) && theirs.enter()) {
            fetching = theirs;
        }
        if (last != null && Fetching.takeOrTell(theirs.wanted(), last, this)) {
            fetching.known(last);
        }
    }

    /** What was fetched last, for one in another process; empty where nothing was. */
    byte[] leave() {
        String last = fetching.text();
        return last == null ? new byte[0] : (fetching.wanted().source() + last).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Takes what one in another process has left, where that has asked the same. Before {@link #start}. What can't be used is as nothing: it is fetched as
     * soon, and as often, as where none was ever there.
     */
    void inherit(byte[] left) {
        String text = new String(left, StandardCharsets.UTF_8);
        String source = fetching.wanted().source();
        if (text.startsWith(source)) {
            String last = text.substring(source.length());
            if (Fetching.takeOrTell(fetching.wanted(), last, this)) {
                fetching.known(last);
            }
        }
    }

    /** Begins to fetch, or to take what is fetched. */
    void start() throws IOException, GeneralSecurityException {
        if (!closed.get()) {
            fetching.begin(this);
        }
    }

    /** Takes no more. The last one stops the fetching. */
    void close() {
        if (closed.compareAndSet(false, true)) {
            fetching.leave(this);
        }
    }

    /**
     * Fetches them now, or waits for those that are being fetched.
     *
     * @return completes, never with a failure, with whether there are other keys now; null where they were fetched a short while ago
     */
    @Nullable CompletableFuture<Boolean> fetch() {
        return fetching.fetch();
    }

    /** Takes what was fetched; whether that is something else than before, which the same keys in another order aren't. As the taker throws. */
    boolean take(String found) {
        Object set = JwkReader.comparable(found);
        if (set.equals(taken)) {
            return false;
        }
        taker.accept(found);
        taken = set;
        return true;
    }

    /** Takes what was fetched for another. As the taker throws. */
    void takeOfBefore(String found) {
        Object set = JwkReader.comparable(found);
        if (!set.equals(taken)) {
            refused = found;
            taker.acceptOfBefore(found);
            refused = null;
            taken = set;
        }
    }

    /** Whether it could use none of that, which was fetched for another. */
    boolean hasRefused(String found) {
        return found.equals(refused);
    }

    /** Whether it has taken nothing yet. */
    boolean isWithout() {
        return taken == null;
    }
}
