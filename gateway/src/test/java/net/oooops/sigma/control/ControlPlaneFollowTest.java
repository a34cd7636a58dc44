package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.health.CheckView.State;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.names.NameServer;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What finds out of nodes follows another configuration: what is the same goes on, what is another begins anew, what is gone ends. */
@Isolated("the log, threads and descriptors of the process")
class ControlPlaneFollowTest {
    private static final int TIMES = 1000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private @Nullable ControlPlane plane;
    private @Nullable SigmaConfig holds;

    @AfterEach
    void stop() {
        if (plane != null) {
            plane.close(Duration.ofSeconds(10));
        }
    }

    private ControlPlane start(SigmaConfig config, NodeRegistry nodes) {
        ControlPlane started = ControlPlane.start(config, nodes);
        started.check();
        plane = started;
        holds = config;
        return started;
    }

    private void follow(SigmaConfig config, NodeRegistry nodes) {
        SigmaConfig before = Objects.requireNonNull(holds);
        Objects.requireNonNull(plane).follow(before, config, nodes);
        holds = config;
    }

    private void awaitStates(State... expected) {
        Await.value(
                "states",
                () -> Objects.requireNonNull(plane).checks().stream()
                        .map(CheckView::state)
                        .toList(),
                List.of(expected)::equals);
    }

    private static Upstream upstream(NodeRegistry nodes, String id) {
        return Objects.requireNonNull(nodes.find(id));
    }

    private static Node node(NodeRegistry nodes, String id) {
        return upstream(nodes, id).nodes().getFirst();
    }

    private static List<String> names(NodeRegistry nodes, String id) {
        return upstream(nodes, id).nodes().stream().map(Node::name).toList();
    }

    @Test
    void whatIsCheckedAsBeforeIsNotAskedAgain() {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"))) {
            SigmaConfig config = Beside.config(Beside.checked("u", "/health", node.port()));
            NodeRegistry nodes = Beside.registry(config);
            ControlPlane running = start(config, nodes);
            awaitStates(State.HEALTHY);
            CheckView known = running.checks().getFirst();
            Beside.Use before = Beside.Use.now();
            for (int i = 0; i < TIMES; i++) {
                follow(config, nodes);
            }
            // One more is watched by then, behind all of that.
            SigmaConfig more = Beside.config(
                    Beside.checked("u", "/health", node.port()), Beside.checked("v", "/other", node.port()));
            NodeRegistry others = Beside.registry(more);
            follow(more, others);
            awaitStates(State.HEALTHY, State.HEALTHY);
            assertThat(running.checks().getFirst()).isEqualTo(known);
            assertThat(node.requests()).extracting(request -> request.target()).containsExactly("/health", "/other");
            node.awaitAllClosed();
            Await.value("no more than before", Beside.Use::now, now -> now.isLike(before));
        }
    }

    @Test
    void anEventLoopIsMadeReadyWhereNodesAreAskedAndNowhereElse() throws Exception {
        SigmaConfig plain = Beside.config(Beside.upstream("u", Discovery.STATIC_CONFIG, 1));
        ControlPlane running = start(plain, Beside.registry(plain));

        running.prepare(plain, place -> false);
        assertThat(running.hasLoop()).isFalse();

        running.prepare(Beside.config(Beside.checked("u", "/health", 1)), place -> false);
        assertThat(running.hasLoop()).isTrue();
        running.abandon();
    }

    @Test
    void anotherWayOfCheckingBeginsAnewAndLeavesANodeDownUntilItHasPassed() {
        AtomicBoolean well = new AtomicBoolean();
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> well.get() ? Answer.ok("ok") : Answer.of(500))) {
            SigmaConfig config = Beside.config(Beside.checked("u", "/one", node.port()));
            NodeRegistry nodes = Beside.registry(config);
            start(config, nodes);
            Await.until("down", () -> node(nodes, "u").isDown());
            follow(Beside.config(Beside.checked("u", "/two", node.port())), nodes);
            Await.until(
                    "asked otherwise", () -> node.requests().getLast().target().equals("/two"));
            assertThat(node(nodes, "u").isDown()).isTrue();
            well.set(true);
            Await.until("up", () -> !node(nodes, "u").isDown());
        }
    }

    @Test
    void aNodeIsNotLeftDownByACheckThatThereIsNoLonger() {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.of(500));
                LoggedLines log = new LoggedLines(Upstream.class)) {
            SigmaConfig config = Beside.config(Beside.checked("u", "/", node.port()));
            NodeRegistry nodes = Beside.registry(config);
            ControlPlane running = start(config, nodes);
            Await.until("down", () -> node(nodes, "u").isDown());
            follow(Beside.config(Beside.upstream("u", Discovery.STATIC_CONFIG, node.port())), nodes);
            Await.until("up", () -> !node(nodes, "u").isDown());
            Await.until("unchecked", () -> running.checks().isEmpty());
            assertThat(log.lines())
                    .last()
                    .isEqualTo("INFO upstream u node 127.0.0.1:" + node.port()
                            + ": no longer down, since it is checked no longer");
            follow(config, nodes);
            Await.until("down again", () -> node(nodes, "u").isDown());
        }
    }

    /** The Upstream is another, its nodes are checked as before: what is known of them holds. */
    @Test
    void whatIsKnownIsToldToAnUpstreamThatTakesTheOthersPlace() {
        try (ScriptedUpstream bad = ScriptedUpstream.start(request -> Answer.of(500));
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("ok"))) {
            SigmaConfig config = Beside.config(Beside.checked("u", "/", bad.port(), good.port()));
            start(config, Beside.registry(config));
            awaitStates(State.UNHEALTHY, State.HEALTHY);
            NodeRegistry others = Beside.registry(config);
            follow(config, others);
            Await.until("down there, too", () -> node(others, "u").isDown());
            assertThat(good.requestCount()).isEqualTo(1);
        }
    }

    @Test
    void checksBeginWhereThereWereNoneAndNodesThatAreGoneAreForgotten() {
        try (ScriptedUpstream one = ScriptedUpstream.start(request -> Answer.ok("ok"));
                ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.ok("ok"))) {
            SigmaConfig config = Beside.config(Beside.upstream("u", Discovery.STATIC_CONFIG, one.port()));
            ControlPlane running = start(config, Beside.registry(config));
            SigmaConfig checked = Beside.config(Beside.checked("u", "/", one.port(), other.port()));
            follow(checked, Beside.registry(checked));
            awaitStates(State.HEALTHY, State.HEALTHY);
            SigmaConfig fewer = Beside.config(Beside.checked("u", "/", other.port()));
            follow(fewer, Beside.registry(fewer));
            Await.until("one is checked", () -> running.checks().size() == 1);
            assertThat(other.requestCount()).isEqualTo(1);
            follow(Beside.config(), Beside.registry(Beside.config()));
            Await.until("none is checked", () -> running.checks().isEmpty());
        }
    }

    private UpstreamConfig ofFile(String id, String file, int... ports) {
        return Beside.upstream(id, new Discovery.OfFile(dir.resolve(file)), ports);
    }

    private void write(String file, String text) throws IOException {
        // At once: half written, it is wrong for a moment.
        Path whole = Files.writeString(dir.resolve(file + ".new"), text);
        Files.setLastModifiedTime(whole, FileTime.from(Instant.now().minusSeconds(60)));
        Files.move(whole, dir.resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void filesOfNodesBeginGoOnAndEnd() throws IOException {
        try (LoggedLines log = new LoggedLines(NodesFileWatch.class)) {
            write("a", "wrong");
            write("b", "[\"http://127.0.0.1:12\"]");
            SigmaConfig first = Beside.config(ofFile("a", "a", 1));
            NodeRegistry nodes = Beside.registry(first);
            start(first, nodes);
            Await.until("said", () -> log.lines().size() == 1);
            SigmaConfig both = Beside.config(ofFile("a", "a", 1), ofFile("b", "b", 2));
            both.upstreams().forEach(nodes::upstream);
            follow(both, nodes);
            Await.value("read", () -> names(nodes, "b"), List.of("127.0.0.1:12")::equals);
            Beside.Use before = Beside.Use.now();
            for (int i = 0; i < TIMES; i++) {
                follow(both, nodes);
            }
            Await.value("no more than before", Beside.Use::now, now -> now.isLike(before));
            follow(Beside.config(ofFile("b", "b", 2)), nodes);
            write("a", "[\"http://127.0.0.1:11\"]");
            write("b", "[\"http://127.0.0.1:13\"]");
            Await.value("read again", () -> names(nodes, "b"), List.of("127.0.0.1:13")::equals);
            assertThat(names(nodes, "a")).as("no longer watched").containsExactly("127.0.0.1:1");
            assertThat(log.lines()).as("what was said isn't said again").hasSize(1);
            follow(Beside.config(), nodes);
            follow(first, nodes);
            Await.value("watched again", () -> names(nodes, "a"), List.of("127.0.0.1:11")::equals);
        }
    }

    /** A path whose file can't be looked at, as the JVM can't. */
    private static Path failing() {
        return (Path) Proxy.newProxyInstance(
                Path.class.getClassLoader(),
                new Class<?>[] {Path.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "toString" -> "failing";
                    case "hashCode" -> 1;
                    case "equals" -> proxy == args[0];
                    default -> throw new StackOverflowError("of the test's own");
                });
    }

    @Test
    void anErrorEndsNeitherTheFilesOfNodesNorKeepsOthersFromThem() throws IOException {
        try (LoggedLines log = new LoggedLines(NodesFileWatch.class)) {
            write("b", "[\"http://127.0.0.1:12\"]");
            SigmaConfig config =
                    Beside.config(Beside.upstream("a", new Discovery.OfFile(failing()), 1), ofFile("b", "b", 2));
            NodeRegistry nodes = Beside.registry(config);
            start(config, nodes);
            Await.value("read", () -> names(nodes, "b"), List.of("127.0.0.1:12")::equals);
            write("b", "[\"http://127.0.0.1:13\"]");
            Await.value("read again", () -> names(nodes, "b"), List.of("127.0.0.1:13")::equals);
            assertThat(log.lines()).containsExactly("ERROR upstream a: its nodes-file could not be looked at");
        }
    }

    private static UpstreamConfig ofSrv(String id, String name) {
        return Beside.upstream(id, new Discovery.OfSrv(name));
    }

    /** Its name servers are that one. */
    private static SigmaConfig asking(NameServer server, SigmaConfig config) {
        DnsConfig dns = new DnsConfig(
                List.of(new DnsConfig.Server("127.0.0.1", server.address().getPort())),
                // In a quarter of it nothing is asked for once more, on a busy machine either.
                TimeUnit.SECONDS.toNanos(20),
                1,
                300);
        return Beside.with(config, dns);
    }

    @Test
    void srvNamesBeginGoOnAndEnd() {
        try (NameServer server = NameServer.start()) {
            server.srv("one.test", 300, "node.test", 11);
            server.srv("two.test", 1, "node.test", 12);
            SigmaConfig first = asking(server, Beside.config(ofSrv("a", "one.test")));
            NodeRegistry nodes = Beside.registry(first);
            ControlPlane running = start(first, nodes);
            running.awaitSrv();
            assertThat(names(nodes, "a")).containsExactly("node.test:11");
            SigmaConfig both = asking(server, Beside.config(ofSrv("a", "one.test"), ofSrv("b", "two.test")));
            // Another Upstream in the place of the one before has at once what is known.
            NodeRegistry others = Beside.registry(both);
            follow(both, others);
            running.awaitSrv();
            assertThat(names(others, "b")).containsExactly("node.test:12");
            assertThat(names(others, "a")).containsExactly("node.test:11");
            Beside.Use before = Beside.Use.now();
            for (int i = 0; i < TIMES; i++) {
                follow(both, others);
            }
            server.srv("two.test", 1, "node.test", 13);
            Await.value("asked again", () -> names(others, "b"), List.of("node.test:13")::equals);
            assertThat(server.questions("one.test")).isEqualTo(1);
            Await.value("no more than before", Beside.Use::now, now -> now.isLike(before));

            follow(first, others);
            server.srv("one.test", 300, "node.test", 14);
            server.srv("two.test", 1, "node.test", 14);
            SigmaConfig renamed = asking(server, Beside.config(ofSrv("a", "two.test")));
            follow(renamed, others);
            Await.value("another service", () -> names(others, "a"), List.of("node.test:14")::equals);
            assertThat(names(others, "b")).as("no longer asked for").containsExactly("node.test:13");
        }
    }

    /** Workers that follow after that would have none for a while. */
    @Test
    void whoTakesTheOthersPlaceHasTheNodesBeforeWorkersFollow() {
        try (NameServer server = NameServer.start()) {
            server.srv("one.test", 300, "node.test", 11);
            SigmaConfig config = asking(server, Beside.config(ofSrv("a", "one.test")));
            ControlPlane running = start(config, Beside.registry(config));
            running.awaitSrv();
            for (int i = 0; i < TIMES; i++) {
                NodeRegistry others = Beside.registry(config);
                follow(config, others);
                running.awaitSrv();
                assertThat(names(others, "a")).containsExactly("node.test:11");
            }
            assertThat(server.questions("one.test")).isEqualTo(1);
        }
    }

    /** A service that nobody wants to know of any more doesn't count among those that fail. */
    @Test
    void anSrvNameThatIsGoneFailsNoLonger() {
        try (NameServer server = NameServer.start()) {
            SigmaConfig config = asking(server, Beside.config(ofSrv("a", "none.test")));
            NodeRegistry nodes = Beside.registry(config);
            start(config, nodes);
            Await.until("failing", () -> nodes.names().failingCount() == 1);
            follow(asking(server, Beside.config()), nodes);
            Await.until("forgotten", () -> nodes.names().failingCount() == 0);
        }
    }

    /** As the process that takes another one's place while name servers say nothing. */
    @Test
    void oneWithoutAnAnswerHasTheNodesThatWereLastKnown() {
        try (NameServer server = NameServer.start()) {
            server.silence();
            SigmaConfig config = asking(server, Beside.config(ofSrv("a", "one.test")));
            NodeRegistry nodes = Beside.registry(config);
            ControlPlane running = start(config, nodes);
            nodes.answers()
                    .hear(new LastAnswers.All(
                            Map.of(), Map.of("one.test", List.of(new NodeConfig("node.test", 11, 1)))));
            running.recallSrv();
            assertThat(names(nodes, "a")).containsExactly("node.test:11");

            server.srv("one.test", 300, "node.test", 12);
            server.speak();
            Await.value("answered", () -> names(nodes, "a"), List.of("node.test:12")::equals);
            running.recallSrv();
            assertThat(names(nodes, "a")).containsExactly("node.test:12");
        }
    }

    @Test
    void otherNameServersAreAskedFromThenOn() {
        try (NameServer one = NameServer.start();
                NameServer other = NameServer.start()) {
            one.srv("one.test", 300, "node.test", 11);
            other.srv("one.test", 300, "node.test", 12);
            SigmaConfig config = Beside.config(ofSrv("a", "one.test"));
            NodeRegistry nodes = Beside.registry(config);
            ControlPlane running = start(asking(one, config), nodes);
            running.awaitSrv();
            assertThat(names(nodes, "a")).containsExactly("node.test:11");
            follow(asking(other, config), nodes);
            running.awaitSrv();
            assertThat(names(nodes, "a")).containsExactly("node.test:12");
        }
    }

    /** Whatever comes and goes: no thread and no descriptor is left of it. */
    @Test
    void nothingIsLeftOfWhatHasEnded() throws IOException {
        write("a", "[\"http://127.0.0.1:11\"]");
        try (NameServer server = NameServer.start();
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"))) {
            server.srv("one.test", 300, "node.test", 11);
            SigmaConfig all = asking(
                    server,
                    Beside.config(Beside.checked("c", "/", node.port()), ofFile("a", "a", 1), ofSrv("b", "one.test")));
            NodeRegistry nodes = Beside.registry(all);
            SigmaConfig none = asking(server, Beside.config());
            start(none, nodes);
            follow(all, nodes);
            awaitStates(State.HEALTHY);
            follow(none, nodes);
            node.awaitAllClosed();
            Beside.Use before = Beside.Use.now();
            for (int i = 0; i < TIMES; i++) {
                follow(i % 2 == 0 ? all : none, nodes);
            }
            Await.until(
                    "unchecked", () -> Objects.requireNonNull(plane).checks().isEmpty());
            Await.until("closed", Duration.ofSeconds(30), () -> node.openConnectionCount() == 0);
            Await.value("no more than before", Beside.Use::now, now -> now.isLike(before));
        }
    }
}
