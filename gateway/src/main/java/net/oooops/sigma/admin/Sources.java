package net.oooops.sigma.admin;

import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.redis.RedisClients;
import net.oooops.sigma.upstream.NodeRegistry;

/**
 * Where answers come from. All of it may be asked on any thread, and costs the Workers nothing.
 *
 * @param counters what all Workers have counted
 * @param plugins what plugins count
 * @param redis what they have of Redis
 * @param nodes the Upstreams, and what is known of their nodes
 * @param checks what active checks know of nodes
 * @param certificates those that are shown to clients now
 * @param ticks for each Worker, how often its event loop has come round
 * @param draining whether the gateway is about to end
 */
public record Sources(
        Supplier<Counters> counters,
        PluginMeters plugins,
        RedisClients redis,
        NodeRegistry nodes,
        Supplier<List<Checked>> checks,
        Supplier<List<Certificate>> certificates,
        List<LongSupplier> ticks,
        BooleanSupplier draining) {
    public Sources {
        ticks = List.copyOf(ticks);
    }

    /**
     * What active checks know of a node.
     *
     * @param upstreamId of its Upstream
     * @param node its host and port
     * @param passedCount checks that passed
     * @param failedCount checks that failed
     * @param latencyNanos how long the last check took that passed; 0 where none did
     */
    public record Checked(String upstreamId, String node, long passedCount, long failedCount, long latencyNanos) {}

    /** Who shows a certificate. */
    public enum CertificateOwner {
        /** A server, to its clients. */
        LISTENER,
        /** Sigma, to the nodes of an Upstream. */
        UPSTREAM
    }

    /**
     * A certificate that is shown, or a list that those of clients are measured by.
     *
     * @param owner who shows it
     * @param ownerId of the server, or of the Upstream whose nodes it is shown to
     * @param file where it was read from
     * @param notAfter when it expires; {@link Instant#MAX}: never
     * @param wrong whether its files can't be used as they are now, so that what was there before stays
     */
    public record Certificate(CertificateOwner owner, String ownerId, String file, Instant notAfter, boolean wrong) {
        /** Both as one: the same owner has read the same file for two things. */
        public Certificate and(Certificate other) {
            Instant earlier = notAfter.isBefore(other.notAfter) ? notAfter : other.notAfter;
            return new Certificate(owner, ownerId, file, earlier, wrong || other.wrong);
        }
    }
}
