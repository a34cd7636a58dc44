package net.oooops.sigma.plugins.authentication.basicauth;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.Remembered;
import org.jspecify.annotations.Nullable;

/**
 * Who is known, and what is remembered of those that were let in: other users have another memory. Immutable but for that.
 *
 * @param remembered by the digest of user and password
 */
record Users(Map<String, User> byName, List<PasswordHash> hashes, Remembered<Accepted> remembered) {
    /** One of them. */
    record User(Consumer consumer, PasswordHash hash) {}

    /**
     * One who was let in.
     *
     * @param untilNanos when the password is to be hashed again
     */
    record Accepted(Consumer consumer, long untilNanos) {}

    static Users of(Map<String, User> byName, int rememberedMax) {
        List<PasswordHash> hashes = byName.values().stream().map(User::hash).toList();
        return new Users(Map.copyOf(byName), hashes, new Remembered<>(rememberedMax));
    }

    /** What the password of an unknown user is compared with, so that it takes as long as that of a known one: always the same for a name. */
    @Nullable PasswordHash inPlaceOf(Digest digest) {
        return hashes.isEmpty() ? null : hashes.get((int) Long.remainderUnsigned(digest.second(), hashes.size()));
    }
}
