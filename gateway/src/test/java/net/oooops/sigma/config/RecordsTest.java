package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.crypto.spec.SecretKeySpec;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.config.RuntimeConfig.Allocator;
import net.oooops.sigma.config.RuntimeConfig.ThreadModel;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.config.ValueMatch.Kind;
import org.junit.jupiter.api.Test;

/** What {@code golden/everything.json} says, which names every key, arrives in the records; what is left out has its default. */
class RecordsTest {

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas());
    private final SigmaConfig config = read("golden/everything.json");

    private SigmaConfig read(String name) {
        Path file = TestFiles.path(name);
        return ((ConfigResult.Valid) reader.read(file)).config();
    }

    private String accessLog(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        ConfigResult result = reader.read(bytes, Path.of("/etc/sigma"));
        return Objects.requireNonNull(((ConfigResult.Valid) result).config().accessLog())
                .file();
    }

    private static long seconds(long count) {
        return TimeUnit.SECONDS.toNanos(count);
    }

    /** Else nothing could stay while another sigma.json is followed. */
    @Test
    void whatIsReadTwiceIsTheSame() {
        SigmaConfig again = read("golden/everything.json");
        assertThat(again.upstreams()).isEqualTo(config.upstreams());
        assertThat(again.client()).isEqualTo(config.client());
    }

    @Test
    void listeners() {
        Limits common = new Limits(
                4096,
                16384,
                4096,
                80,
                16384,
                3,
                1L << 30,
                524288,
                0,
                4096,
                32768,
                131072,
                100,
                10_000,
                Integer.MAX_VALUE,
                10,
                3,
                new Http2Limits(100, 5000, 300, 2000, 4, 2 << 20));
        Timeouts timeouts = new Timeouts(
                seconds(10),
                seconds(5),
                seconds(20),
                0,
                seconds(5),
                seconds(300),
                seconds(75),
                seconds(7200),
                seconds(30),
                seconds(1),
                seconds(9),
                seconds(10),
                seconds(2),
                seconds(1200));
        assertThat(config.listeners().get(1))
                .isEqualTo(new ListenerConfig(
                        "private",
                        "private",
                        "",
                        "::1",
                        8081,
                        0,
                        List.of(),
                        common,
                        timeouts,
                        ListenerConfig.Http2.NEVER,
                        null));

        ListenerConfig first = config.listeners().getFirst();
        assertThat(first.serverId()).isEqualTo("edge-1");
        assertThat(first.desc()).isEqualTo("for everyone");
        assertThat(first.limits().headerCountMax()).isEqualTo(50);
        assertThat(first.limits().bodyBytesMax()).isEqualTo(10 << 20);
        assertThat(first.limits().trailerBytesMax()).isEqualTo(4096);
        assertThat(first.timeouts().keepAliveNanos()).isEqualTo(seconds(5));
        assertThat(first.timeouts().drainNanos()).isEqualTo(seconds(10));
        String file = TestFiles.path("golden/everything.json").toString();
        assertThat(first.plugins())
                .containsExactly(
                        new PluginConfig(
                                "x-frame", "DENY", new Place(file, 12, 22, "/proxy-server/http/0/plugin/x-frame")),
                        new PluginConfig(
                                "hsts",
                                Map.of("max-age", 31536000, "include-sub-domains", true),
                                new Place(file, 13, 19, "/proxy-server/http/0/plugin/hsts")));
    }

    @Test
    void tcpListeners() {
        Limits limits = config.listeners().get(1).limits();
        Timeouts timeouts = config.listeners().get(1).timeouts();
        TcpListenerConfig first = config.tcpListeners().getFirst();
        assertThat(first)
                .isEqualTo(new TcpListenerConfig(
                        "sessions",
                        "for those who speak it",
                        "::1",
                        5432,
                        List.of(),
                        "s",
                        List.of(),
                        1000,
                        seconds(1800),
                        false,
                        true,
                        first.trustedProxies(),
                        limits,
                        timeouts,
                        null,
                        UpstreamConfig.Protocol.TCP));
        assertThat(first.trustedProxies().stream().map(Cidr::text)).containsExactly("10.0.0.0/8", "2001:db8::1/128");
        assertThat(config.tcpListeners().get(1))
                .isEqualTo(new TcpListenerConfig(
                        "more-sessions",
                        "",
                        "0.0.0.0",
                        5433,
                        List.of(),
                        "s",
                        List.of(),
                        50_000,
                        seconds(3600),
                        true,
                        false,
                        List.of(),
                        limits,
                        timeouts,
                        null,
                        UpstreamConfig.Protocol.TCP));
        assertThat(config.allListeners().stream().map(Listener::id))
                .containsExactly(
                        "public",
                        "private",
                        "any",
                        "any-too",
                        "sessions",
                        "more-sessions",
                        "datagrams",
                        "more-datagrams");
    }

    @Test
    void udpListeners() {
        Timeouts timeouts = config.listeners().get(1).timeouts();
        assertThat(config.udpListeners())
                .containsExactly(
                        new UdpListenerConfig(
                                "datagrams",
                                "for short questions",
                                "::1",
                                5432,
                                "d",
                                List.of(),
                                500,
                                seconds(10),
                                timeouts),
                        new UdpListenerConfig(
                                "more-datagrams", "", "0.0.0.0", 53, "d", List.of(), 20_000, seconds(60), timeouts));
    }

    @Test
    void client() {
        assertThat(config.client())
                .isEqualTo(new ClientConfig(64, TimeUnit.MILLISECONDS.toNanos(500), seconds(50), 0, seconds(1)));
    }

    @Test
    void routersAndRoutes() {
        RouterConfig router = config.routers().getFirst();
        assertThat(router.listenerId()).isEqualTo("public");
        assertThat(router.virtualHosts()).containsExactly("*.example.com");
        assertThat(router.allowForward()).isEqualTo(AllowForward.ALL);
        assertThat(router.trustedProxies().stream().map(Cidr::text))
                .containsExactly("10.0.0.0/8", "2001:db8::/32", "192.0.2.1/32");
        assertThat(router.plugins().getFirst().settings())
                .isEqualTo(Map.of("directive", List.of(Map.of("name", "default-src", "value", "'self'"))));
        RouteConfig route = router.routes().getFirst();
        assertThat(route)
                .isEqualTo(new RouteConfig(
                        "r1",
                        "words",
                        "/test/*",
                        List.of("GET", "POST"),
                        List.of("application/json", "text/*", "*/*"),
                        List.of("application/json"),
                        List.of(
                                new ValueMatch("X-Canary", Kind.EXACT, "yes"),
                                new ValueMatch("x-trace", Kind.ABSENT, "")),
                        List.of(
                                new ValueMatch("v", Kind.REGEXP, "[23]"),
                                new ValueMatch("q", Kind.PREFIX, "a"),
                                new ValueMatch("z", Kind.PRESENT, "")),
                        "p",
                        route.plugins()));
        assertThat(router.routes()).hasSize(5);
        assertThat(config.routers().get(1).virtualHosts()).containsExactly("example.com", "127.0.0.1", "[::1]");
        assertThat(config.routers().get(1).allowForward()).isEqualTo(AllowForward.NONE);
    }

    @Test
    void proxyPassesAndUpstreams() {
        ProxyPassConfig pass = config.proxyPasses().getFirst();
        assertThat(pass)
                .isEqualTo(new ProxyPassConfig(
                        "p", "u", pass.plugins(), seconds(5), seconds(10), false, ProxyProtocol.NONE));
        assertThat(config.proxyPasses().get(1))
                .isEqualTo(
                        new ProxyPassConfig("q", "v", List.of(), seconds(60), seconds(60), true, ProxyProtocol.NONE));
        assertThat(config.upstreams())
                .containsExactly(
                        new UpstreamConfig(
                                "u",
                                Discovery.STATIC_CONFIG,
                                RuleStrategy.LEAST_CONNECTIONS,
                                Protocol.HTTP,
                                List.of(
                                        new NodeConfig("localhost", 8888, 1),
                                        new NodeConfig("2001:db8::1", 8889, 3),
                                        new NodeConfig("my_node", 80, 1)),
                                null,
                                new StickyConfig(
                                        "__Host-node",
                                        "/",
                                        86_400,
                                        StickyConfig.Secure.ALWAYS,
                                        false,
                                        StickyConfig.SameSite.NONE,
                                        new SecretKeySpec(
                                                "no secret, for it is here".getBytes(UTF_8), StickyConfig.ALGORITHM))),
                        new UpstreamConfig(
                                "v",
                                Discovery.STATIC_CONFIG,
                                RuleStrategy.CONSISTENT_HASH,
                                Protocol.HTTP,
                                List.of(new NodeConfig("10.0.0.1", 80, 1)),
                                new HashConfig(HashConfig.By.FIELD, "X-User", 1.5),
                                null),
                        new UpstreamConfig(
                                "w",
                                Discovery.STATIC_CONFIG,
                                RuleStrategy.SOURCE_HASH,
                                Protocol.TCP,
                                List.of(new NodeConfig("db", 5432, 1), new NodeConfig("2001:db8::1", 80, 2)),
                                null,
                                null),
                        new UpstreamConfig(
                                "x",
                                Discovery.STATIC_CONFIG,
                                RuleStrategy.RANDOM,
                                Protocol.UDP,
                                List.of(new NodeConfig("dns", 53, 1)),
                                null,
                                null));
        assertThat(config.upstreams().get(2).nodes().stream().map(NodeConfig::hostAndPort))
                .containsExactly("db:5432", "[2001:db8::1]:80");
        assertThat(config.proxyPasses().get(2).proxyProtocol()).isEqualTo(ProxyProtocol.V2);
        assertThat(config.upstreams().getFirst().nodes().stream()
                        .map(config.upstreams().getFirst()::authority))
                .containsExactly("localhost:8888", "[2001:db8::1]:8889", "my_node");
    }

    @Test
    void wholeGateway() {
        assertThat(config.accessLog())
                .isEqualTo(new AccessLogConfig(AccessLogConfig.Format.JSON, "/var/log/sigma/access.log", 100));
        assertThat(config.errorPages())
                .isEqualTo(Map.of(
                        404,
                        new ErrorPage("text/html; charset=utf-8", "<h1>Nothing here</h1>"),
                        503,
                        new ErrorPage("text/plain", "Come back later.\n")));
        assertThat(config.runtime())
                .isEqualTo(new RuntimeConfig(
                        Transport.IO_URING,
                        ThreadModel.INDIVIDUAL_GROUP,
                        Allocator.POOLED,
                        256 << 10,
                        1 << 20,
                        new RuntimeConfig.Memory(16 << 20, 8 << 20, 4 << 20)));
    }

    @Test
    void whatIsDisabledIsGone() {
        SigmaConfig disabled = read("golden/disabled.json");
        assertThat(disabled.routers()).extracting(RouterConfig::id).containsExactly("router-first");
        assertThat(disabled.routers().getFirst().routes())
                .extracting(RouteConfig::id)
                .containsExactly("r1");
        assertThat(disabled.listeners().getFirst().plugins())
                .extracting(PluginConfig::name)
                .containsExactly("x-frame");
        assertThat(disabled.accessLog()).isNull();
    }

    @Test
    void theSpellingsOf010MeanWhatTheyMeant() {
        String rest = TestFiles.text("golden/sample.json").replaceFirst("\\{", "");
        for (boolean written : new boolean[] {true, false}) {
            String json = "{ \"plugins\": { \"log-config\": " + written + " }, " + rest;
            ConfigResult result = reader.read(json.getBytes(StandardCharsets.UTF_8), Path.of("/etc/sigma"));
            assertThat(((ConfigResult.Valid) result).config().accessLog())
                    .isEqualTo(written ? AccessLogConfig.DEFAULT : null);
        }
        for (AllowForward each : AllowForward.values()) {
            assertThat(AllowForward.of(each.name())).isEqualTo(each);
            assertThat(AllowForward.of(each.name().toLowerCase(Locale.ROOT).replace('_', '-')))
                    .isEqualTo(each);
        }
    }

    @Test
    void filesAreRelativeToTheFolder() {
        String json = "{ \"plugins\": { \"log-config\": { \"file\": \"%s\" } }, ";
        String rest = TestFiles.text("golden/sample.json").replaceFirst("\\{", "");
        assertThat(accessLog(json.formatted("logs/access.log") + rest)).isEqualTo("/etc/sigma/logs/access.log");
        assertThat(accessLog(json.formatted("/var/log/a.log") + rest)).isEqualTo("/var/log/a.log");
        assertThat(accessLog(json.formatted("stdout") + rest)).isEqualTo("stdout");
    }

    @Test
    void theSampleHasTheDefaults() {
        SigmaConfig sample = read("golden/sample.json");
        ListenerConfig listener = sample.listeners().getFirst();
        assertThat(listener.host()).isEqualTo("0.0.0.0");
        assertThat(listener.limits()).isEqualTo(Limits.DEFAULT);
        assertThat(listener.timeouts()).isEqualTo(Timeouts.DEFAULT);
        assertThat(sample.client())
                .isEqualTo(new ClientConfig(
                        256,
                        ClientConfig.DEFAULT.connectTimeoutNanos(),
                        ClientConfig.DEFAULT.idleTimeoutNanos(),
                        ClientConfig.DEFAULT.maxWaitQueue(),
                        ClientConfig.DEFAULT.waitTimeoutNanos()));
        assertThat(sample.runtime()).isEqualTo(RuntimeConfig.DEFAULT);
        assertThat(sample.accessLog()).isNull();
        assertThat(sample.routers().getFirst().routes().getFirst().allowMethods())
                .isEmpty();
    }

    @Test
    void pluginSettingsKeepTheOrderWritten() {
        Object settings = config.listeners().getFirst().plugins().get(1).settings();
        assertThat(((Map<?, ?>) settings).keySet().stream().map(String::valueOf))
                .containsExactly("max-age", "include-sub-domains");
    }
}
