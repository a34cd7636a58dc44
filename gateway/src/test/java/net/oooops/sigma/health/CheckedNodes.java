package net.oooops.sigma.health;

import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.ActiveCheckConfig.Http;
import net.oooops.sigma.config.ActiveCheckConfig.Question;
import net.oooops.sigma.config.ActiveCheckConfig.Rhythm;
import net.oooops.sigma.config.ActiveCheckConfig.Statuses;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameOutages;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;

/** A checker, and what it told: lines such as {@code passed 127.0.0.1:1}, {@code failed 127.0.0.1:1 status 500 (expected: 200-399)}, {@code up …}. */
final class CheckedNodes implements CheckListener, AutoCloseable {
    /** Checks every 10 ms, and of unhealthy nodes too. */
    static final Rhythm FAST = rhythm(10, 10, 8000);

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final HealthChecker checker;

    private volatile boolean throwing;
    private volatile @Nullable NodeTls tls;

    CheckedNodes() {
        this(null);
    }

    /** @param dns where names are asked for, or null for the system's servers */
    CheckedNodes(@Nullable InetSocketAddress dns) {
        DnsServerAddressStreamProvider servers = dns == null ? null : new SingletonDnsServerAddressStreamProvider(dns);
        checker = new HealthChecker(
                vertx,
                loop -> new NameResolution(
                        loop,
                        new NameAsker(
                                loop,
                                NameResolution.Sockets.NIO,
                                new NameResolution.Settings(2_000_000_000L, 1, 300, 60_000_000_000L, servers),
                                new NameOutages(),
                                new LastAnswers(Set::of))),
                id -> tls,
                this,
                () -> 0.5);
    }

    static Rhythm rhythm(long intervalMillis, long unhealthyIntervalMillis, long timeoutMillis) {
        return new Rhythm(
                TimeUnit.MILLISECONDS.toNanos(intervalMillis),
                TimeUnit.MILLISECONDS.toNanos(unhealthyIntervalMillis),
                TimeUnit.MILLISECONDS.toNanos(timeoutMillis),
                0);
    }

    /** {@code GET /health} that expects 200 to 399, and that text where there is one. */
    static Http get(@Nullable String text) {
        return new Http("/health?a=b", "GET", null, List.of(new Statuses(200, 399)), text);
    }

    /** An upstream of these ports, of the loopback address, with 2 and 3 checks to change. */
    static UpstreamConfig upstream(Question question, Rhythm rhythm, int... ports) {
        return upstream(new ActiveCheckConfig(question, 0, rhythm, 2, 3), "127.0.0.1", ports);
    }

    static UpstreamConfig upstream(ActiveCheckConfig config, String host, int... ports) {
        return new UpstreamConfig(
                "u",
                UpstreamConfig.Discovery.STATIC_CONFIG,
                UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                UpstreamConfig.Protocol.HTTP,
                Arrays.stream(ports)
                        .mapToObj(port -> new NodeConfig(host, port, 1))
                        .toList(),
                new HealthConfig(config));
    }

    HealthChecker checker() {
        return checker;
    }

    List<String> told() {
        return new ArrayList<>(told);
    }

    /** What the first check that is told of said. */
    String first() {
        return Await.value("a check ended", told::peek, line -> line != null);
    }

    long count(String beginning) {
        return told.stream().filter(line -> line.startsWith(beginning)).count();
    }

    void awaitCount(String beginning, long least) {
        Await.until(least + " × " + beginning + " in " + told(), () -> count(beginning) >= least);
    }

    /** TLS is spoken to nodes that are watched from now on, like that. */
    void encrypt(NodeTls how) {
        tls = how;
    }

    /** The next call of it fails. */
    void throwOnce() {
        throwing = true;
    }

    CheckView view() {
        return checker.views().getFirst();
    }

    /** Ends all checks, and waits for that. */
    void stop() {
        checker.close().toCompletionStage().toCompletableFuture().join();
    }

    @Override
    public void passed(String upstreamId, String node, long latencyNanos) {
        if (throwing) {
            throwing = false;
            throw new IllegalStateException("asked for by the test");
        }
        told.add("passed " + node);
    }

    @Override
    public void failed(String upstreamId, String node, String why) {
        told.add("failed " + node + " " + why);
    }

    @Override
    public void up(String upstreamId, String node) {
        told.add("up " + node);
    }

    @Override
    public void down(String upstreamId, String node, String why) {
        told.add("down " + node + " " + why);
    }

    @Override
    public void unchecked(String upstreamId, String node) {
        told.add("unchecked " + node);
    }

    @Override
    public void close() {
        stop();
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    static Duration millis(long count) {
        return Duration.ofMillis(count);
    }
}
