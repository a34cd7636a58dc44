package net.oooops.sigma.proxy;

import java.util.function.Supplier;
import javax.crypto.SecretKey;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * What leads a client's requests to the same node of an Upstream of HTTP. Shared by all Workers.
 *
 * @param hash the part of a request that they are hashed by, or null
 * @param sticky the cookie that names the node, or null
 */
public record Affinity(@Nullable HashKey hash, @Nullable StickyCookie sticky) {
    /** Nothing does. */
    public static final Affinity NONE = new Affinity(null, null);

    /**
     * As sigma.json says of that Upstream.
     *
     * @param config what it says, which may hold of the Upstream later only
     * @param keyOtherwise what cookies are signed with where the configuration has no key
     */
    public static Affinity of(Upstream upstream, UpstreamConfig config, Supplier<SecretKey> keyOtherwise) {
        HashConfig hash = config.hash();
        StickyConfig sticky = config.sticky();
        return new Affinity(
                hash == null ? null : HashKey.of(hash),
                sticky == null ? null : StickyCookie.of(upstream, sticky, keyOtherwise));
    }
}
