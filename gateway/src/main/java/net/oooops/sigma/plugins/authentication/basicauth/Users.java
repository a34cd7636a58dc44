package net.oooops.sigma.plugins.authentication.basicauth;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.plugins.authentication.Digest;
import org.jspecify.annotations.Nullable;

/** Who is known. Immutable. */
record Users(Map<String, User> byName, List<PasswordHash> hashes) {
    /** One of them. */
    record User(Consumer consumer, PasswordHash hash) {}

    static Users of(Map<String, User> byName) {
        List<PasswordHash> hashes = byName.values().stream().map(User::hash).toList();
        return new Users(Map.copyOf(byName), hashes);
    }

    /** Who has the name of that one, and the same hash of a password; null where nobody has. */
    @Nullable User sameAs(User other) {
        User found = byName.get(other.consumer().id());
        return found != null && found.hash().equals(other.hash()) ? found : null;
    }

    /** What the password of an unknown user is compared with, so that it takes as long as that of a known one: always the same for a name. */
    @Nullable PasswordHash inPlaceOf(Digest digest) {
        return hashes.isEmpty() ? null : hashes.get((int) Long.remainderUnsigned(digest.second(), hashes.size()));
    }
}
