package net.oooops.sigma.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.redis.RedisClients;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.Test;

/** Pages are of bounded size, and say what is wrong. */
class PagesTest {
    private final NodeRegistry registry = new NodeRegistry();
    private final AtomicLong ticks = new AtomicLong();
    private final Sources sources = new Sources(
            () -> new Counters(
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    List.of(),
                    List.of(new Counters.Shadow("cors", "answer", 204, "", 3))),
            new PluginMeters(),
            new RedisClients(),
            registry,
            List::of,
            List::of,
            List.of(ticks::get),
            () -> false);
    private final Pulse pulse = new Pulse(sources.ticks(), 0);

    private Upstream upstream(int... ports) {
        return registry.upstream(
                GatewayFixture.toPorts(ports).config().upstreams().getFirst());
    }

    private String metrics(int nodesMax) {
        byte[] text = new MetricsPage(sources, pulse, nodesMax, Listing.UPSTREAMS_MAX).text(new Refused(0, 0, 0, 0));
        return new String(text, StandardCharsets.UTF_8);
    }

    /** Dashboards tell restarts and upgrades by these. */
    @Test
    void whatRunsSinceWhenIsThere() {
        Versions versions = Versions.read();
        String page = metrics(0);

        assertThat(page)
                .contains(
                        "# TYPE sigma_build_info gauge",
                        "sigma_build_info{jdk=\"" + Versions.jdk() + "\",netty=\"" + versions.netty() + "\",version=\""
                                + versions.sigma() + "\",vertx=\"" + versions.vertx() + "\"} 1");
        Matcher start =
                Pattern.compile("(?m)^process_start_time_seconds (\\S+)$").matcher(page);
        assertThat(start.find()).isTrue();
        Instant started = ProcessHandle.current().info().startInstant().orElseThrow();
        assertThat(Double.parseDouble(start.group(1))).isCloseTo(started.toEpochMilli() / 1e3, within(0.01));
    }

    @Test
    void whatPluginsInShadowWouldHaveDoneIsThere() {
        assertThat(metrics(0))
                .contains(
                        "sigma_plugin_shadow_total{outcome=\"answer\",plugin=\"cors\",reason=\"\",status=\"204\"} 3.0");
    }

    @Test
    void moreNodesThanTheBoundAreCountedInstead() throws IOException {
        upstream(1, 2, 3, 4, 5);
        assertThat(metrics(5)).contains("127.0.0.1:5", "sigma_nodes_left_out 0.0");
        assertThat(metrics(3))
                .contains("127.0.0.1:3", "sigma_nodes_left_out 2.0", "sigma_upstream_nodes{upstream=\"upstream\"} 5.0")
                .doesNotContain("127.0.0.1:4");
        JsonNode json = new ObjectMapper().readTree(new NodesPage(sources, 3, 1).json());
        assertThat(json.get("left_out").asInt()).isEqualTo(2);
        assertThat(json.get("upstreams").get(0).get("nodes")).hasSize(3);
    }

    @Test
    void anUpstreamIsShownWithoutItsNodes() throws IOException {
        upstream(1, 2);
        assertThat(metrics(0))
                .contains(
                        "sigma_upstream_nodes{upstream=\"upstream\"} 2.0",
                        "sigma_upstream_nodes_available{upstream=\"upstream\"} 2.0",
                        "sigma_nodes_left_out 2.0",
                        "sigma_upstreams_left_out 0.0")
                .doesNotContain("127.0.0.1:1");
        JsonNode json = new ObjectMapper().readTree(new NodesPage(sources, 0, 1).json());
        assertThat(json.get("upstreams").get(0).get("id").asText()).isEqualTo("upstream");
        assertThat(json.get("upstreams").get(0).get("nodes")).isEmpty();
    }

    @Test
    void moreUpstreamsThanTheBoundAreCountedInstead() throws IOException {
        upstream(1, 2);
        byte[] text = new MetricsPage(sources, pulse, 5, 0).text(new Refused(0, 0, 0, 0));
        assertThat(new String(text, StandardCharsets.UTF_8))
                .contains("sigma_upstreams_left_out 1.0", "sigma_nodes_left_out 2.0")
                .doesNotContain("upstream=\"upstream\"");
        JsonNode json = new ObjectMapper().readTree(new NodesPage(sources, 5, 0).json());
        assertThat(json.get("upstreams")).isEmpty();
        assertThat(json.get("upstreams_left_out").asInt()).isEqualTo(1);
    }

    @Test
    void aNodeThatIsSparedSaysSo() throws IOException {
        Upstream upstream = upstream(1, 2);
        for (int i = 0; i < 20; i++) {
            for (Node node : upstream.nodes()) {
                upstream.ejection().faulted(node, Node.NO_TRIAL, 1);
            }
        }
        JsonNode nodes = new ObjectMapper()
                .readTree(new NodesPage(sources, 2, 1).json())
                .get("upstreams")
                .get(0)
                .get("nodes");
        assertThat(nodes.findValuesAsText("health")).containsExactly("ejected", "spared");
        assertThat(nodes.get(1).get("why").asText()).isEqualTo("would be ejected, but as many nodes are out as may be");
        assertThat(metrics(2))
                .contains(
                        "health=\"spared\",node=\"127.0.0.1:2\",upstream=\"upstream\"} 1.0",
                        "health=\"healthy\",node=\"127.0.0.1:2\",upstream=\"upstream\"} 0.0");
    }

    @Test
    void aNodeThatAnOperatorHasBarredSaysSo() throws IOException {
        Upstream upstream = upstream(1, 2, 3);
        upstream.steer("127.0.0.1:1", _ -> Steering.NONE.withUse(Steering.Use.DRAINED), 1);
        upstream.steer("127.0.0.1:2", _ -> Steering.NONE.withUse(Steering.Use.EJECTED), 1);
        JsonNode nodes = new ObjectMapper()
                .readTree(new NodesPage(sources, 3, 1).json())
                .get("upstreams")
                .get(0)
                .get("nodes");
        assertThat(nodes.findValuesAsText("health")).containsExactly("drained", "ejected", "healthy");
        assertThat(nodes.findValuesAsText("why"))
                .containsExactly("drained by an operator", "ejected by an operator", "");
        assertThat(metrics(3)).contains("health=\"drained\",node=\"127.0.0.1:1\",upstream=\"upstream\"} 1.0");
    }

    @Test
    void aNodeShowsTheVersionThatItHasAgreedOn() throws IOException {
        Upstream upstream = upstream(1, 2, 3);
        upstream.nodes().get(0).agreed(HttpVersion.HTTP_2);
        upstream.nodes().get(1).agreed(HttpVersion.HTTP_2);
        assertThat(upstream.nodes().get(1).agreed(HttpVersion.HTTP_1_1)).isTrue();
        assertThat(upstream.nodes().get(1).agreed(HttpVersion.HTTP_1_1)).isFalse();
        JsonNode nodes = new ObjectMapper()
                .readTree(new NodesPage(sources, 3, 1).json())
                .get("upstreams")
                .get(0)
                .get("nodes");
        assertThat(nodes.findValuesAsText("agreed")).containsExactly("h2", "http/1.1", "null");
    }

    @Test
    void anUpstreamWithoutNodesIsShown() throws IOException {
        upstream();
        assertThat(metrics(1)).contains("sigma_upstream_nodes{upstream=\"upstream\"} 0.0");
        JsonNode json = new ObjectMapper().readTree(new NodesPage(sources, 1, Listing.UPSTREAMS_MAX).json());
        assertThat(json.get("upstreams").get(0).get("nodes")).isEmpty();
        assertThat(json.get("upstreams").get(0).get("available").asInt()).isZero();
    }

    @Test
    void thePageOfAsManyNodesAsThereMayBeIsOfSomeMegabytes() {
        int[] ports = new int[Listing.NODES_MAX];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = 10_000 + i;
        }
        upstream(ports);
        assertThat(metrics(Listing.NODES_MAX).length()).isLessThan(6 << 20);
    }

    @Test
    void aStalledWorkerIsNamed() {
        HealthPages health = new HealthPages(sources, pulse, List.of());
        for (int i = 1; i <= Pulse.LOOKS_MAX; i++) {
            assertThat(health.notLive()).isEmpty();
            pulse.look(i * Pulse.LOOK_NANOS);
        }
        assertThat(health.notLive()).containsExactly("worker 0: its event loop has stood still for more than 10 s");
        assertThat(metrics(0)).contains("sigma_worker_stalled{worker=\"0\"} 1.0");
    }

    @Test
    void aNodeThatIsDownCounts() {
        Upstream upstream = upstream(1, 2);
        HealthPages health = new HealthPages(sources, pulse, List.of("upstream"));
        upstream.checked(upstream.nodes().getFirst(), "no", 1);
        assertThat(health.notReady()).isEmpty();
        upstream.checked(upstream.nodes().getLast(), "no", 2);
        assertThat(health.notReady()).containsExactly("upstream upstream: no healthy node");
    }
}
