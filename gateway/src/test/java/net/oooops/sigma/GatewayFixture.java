package net.oooops.sigma;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Place;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.redis.RedisClients;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;

/** A running gateway on a free port of the loopback address, as a {@link GatewayBuilder} made it, and what tests ask of it. */
public final class GatewayFixture implements AutoCloseable {
    private static final Place NOWHERE = new Place(0, 0, "");

    private final Gateway gateway;
    private final Snapshot snapshot;

    /** @param snapshot what it was started with */
    GatewayFixture(Gateway gateway, Snapshot snapshot) {
        this.gateway = gateway;
        this.snapshot = snapshot;
    }

    /** In front of these nodes. */
    public static GatewayBuilder to(ScriptedUpstream... nodes) {
        return toPorts(Arrays.stream(nodes).mapToInt(ScriptedUpstream::port).toArray());
    }

    /** In front of these ports of the loopback address. */
    public static GatewayBuilder toPorts(int... ports) {
        GatewayBuilder builder = new GatewayBuilder();
        for (int port : ports) {
            builder.node("127.0.0.1", port, 1);
        }
        return builder;
    }

    /** In front of that host. */
    public static GatewayBuilder toHost(String host, int port) {
        return new GatewayBuilder().node(host, port, 1);
    }

    /** What a plugin of sigma.json would be. */
    public static PluginConfig plugin(String name, Object settings) {
        return new PluginConfig(name, settings, NOWHERE);
    }

    /** The port it listens on. */
    public int port() {
        return gateway.addresses().getFirst().getPort();
    }

    /** A new connection to it. */
    public RawClient connect() throws IOException {
        return connect(ClientOptions.defaults());
    }

    /** A new connection to it. */
    public RawClient connect(ClientOptions options) throws IOException {
        return GatewayBuilder.ENCRYPTED
                ? RawClient.connect(port(), options, Encryption.SHARED::wrap)
                : RawClient.connect(port(), options);
    }

    /** What its plugins have of Redis. */
    public RedisClients redis() {
        return snapshot.redis();
    }

    /** What a plugin has counted under that name. */
    public long pluginCount(String plugin, String name) {
        return snapshot.pluginMeters().read().stream()
                .filter(reading ->
                        reading.plugin().equals(plugin) && reading.name().equals(name))
                .mapToLong(PluginMeters.Reading::value)
                .sum();
    }

    /** The gateway itself. */
    public Gateway gateway() {
        return gateway;
    }

    /** What it counted until now. */
    public Counters counters() {
        return gateway.counters();
    }

    /** One of its counters now. */
    public long count(Counter counter) {
        return counters().count(counter);
    }

    /** How many requests failed in that way until now. */
    public long faults(Fault fault) {
        return counters().faults(fault);
    }

    /** Lets what is under way end, for so long at most. */
    public void drain(Duration most) {
        gateway.stop(most);
    }

    /** Stops at once. */
    @Override
    public void close() {
        gateway.stop(Duration.ZERO);
    }
}
