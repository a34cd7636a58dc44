package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of plugins when another configuration takes effect. */
class ReloadPluginsTest {
    private static final String NAME = "noted";
    private static final String SCHEMA = "{\"type\": \"object\"}";

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();
    private volatile Step<StartException> onStart = () -> {};
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> {
        if (request.target().equals("/slow")) {
            gate.pass();
        }
        return Answer.ok("");
    });

    @AfterEach
    void end() {
        node.close();
    }

    @Test
    void oneWithTheSameSettingsIsTheSame() throws Exception {
        try (Running running = start("1")) {
            running.reload("1");
            running.reload("1");
            assertThat(running.get()).isEqualTo("1");
            assertThat(events).containsExactly("made 1", "started 1");
        }
        assertThat(events).containsExactly("made 1", "started 1", "closed 1");
    }

    @Test
    void oneWithOtherSettingsTakesOver() throws Exception {
        try (Running running = start("1")) {
            running.reload("2");
            assertThat(running.get()).isEqualTo("2");
            Await.until("closed", () -> events.contains("closed 1"));
        }
        assertThat(events)
                .containsExactly(
                        "made 1", "started 1", "made 2", "2 takes over from 1", "started 2", "closed 1", "closed 2");
    }

    @Test
    void itIsClosedAfterTheLastExchangeThatSawIt() throws Exception {
        try (Running running = start("1");
                RawClient slow = RawClient.connect(running.port())) {
            slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            running.reload("2");
            assertThat(running.get()).isEqualTo("2");
            assertThat(events).doesNotContain("closed 1");

            gate.release();

            assertThat(slow.readResponse().header("X-Noted")).isEqualTo("1");
            Await.until("closed", () -> events.contains("closed 1"));
        }
    }

    @Test
    void oneThatFailsToCloseKeepsNoOtherOpen() throws Exception {
        try (Running running = start("closes badly")) {
            running.reload("2");
            running.reload("3");
            Await.until("closed", () -> events.contains("closed 2"));
            assertThat(running.get()).isEqualTo("3");
        }
        assertThat(events).contains("closed closes badly", "closed 3");
    }

    @Test
    void oneThatFailsToStartLeavesAllAsItWas() throws Exception {
        try (Running running = start("1")) {
            assertThatThrownBy(() -> running.reload("starts badly"))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("/router/0/plugin/" + NAME)
                    .hasMessageContaining("can't be started");

            assertThat(running.get()).isEqualTo("1");
            assertThat(events)
                    .containsExactly(
                            "made 1",
                            "started 1",
                            "made starts badly",
                            "starts badly takes over from 1",
                            "closed starts badly");
        }
    }

    /** What was made ready for it may be another thread's by then. */
    @Test
    void oneThatStartsWhileAnUpgradeComesToNothingLeavesAllAsItWas() throws Exception {
        Needed.transport(Transport.EPOLL);
        try (Running running = start("1")) {
            onStart = () -> {
                Handover upgrade = running.gateway.handOver(sockets -> {});
                upgrade.letGo();
                upgrade.takeBack(running.gateway.config());
            };
            assertThatThrownBy(() -> running.reload("2"))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("an upgrade was under way meanwhile");
            onStart = () -> {};

            assertThat(running.get()).isEqualTo("1");
            assertThat(events).contains("closed 2").doesNotContain("closed 1");
            running.reload("3");
            assertThat(running.get()).isEqualTo("3");
        }
    }

    private Running start(String setting) throws IOException, StartException {
        return new Running(Gateway.start(SnapshotCompiler.compile(read(setting), this::make), 2, new VertxOptions()));
    }

    private Plugin make(String name, @Nullable Object settings) {
        return new Noted(String.valueOf(((Map<?, ?>) Objects.requireNonNull(settings)).get("is")));
    }

    private SigmaConfig read(String setting) {
        String json = "{\"proxy-server\": {\"http\": [{\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": 0}]},"
                + " \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\", \"plugin\": {\"" + NAME
                + "\": {\"is\": \"" + setting
                + "\"}}, \"route\": [{\"id\": \"a\", \"path\": \"/*\", \"proxy-pass-id\": \"p\"}]}],"
                + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"http://127.0.0.1:" + node.port() + "\"]}]}";
        ConfigResult result = new ConfigReader(Map.of(NAME, SCHEMA))
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        if (result instanceof ConfigResult.Valid valid) {
            return valid.config();
        }
        throw new AssertionError(((ConfigResult.Invalid) result).text(json));
    }

    /** Notes what becomes of it. */
    private final class Noted implements Plugin {
        private final String setting;

        private Noted(String setting) {
            this.setting = setting;
            events.add("made " + setting);
        }

        @Override
        public Needs needs() {
            return Needs.RESPONSE;
        }

        @Override
        public Outcome onResponse(Exchange exchange) {
            exchange.response().set(Field.of("X-Noted", setting));
            return Outcome.CONTINUE;
        }

        @Override
        public void takeOver(Plugin before) {
            events.add(setting + " takes over from " + ((Noted) before).setting);
        }

        @Override
        public void start() {
            if (setting.equals("starts badly")) {
                throw new IllegalStateException(setting);
            }
            events.add("started " + setting);
            try {
                onStart.run();
            } catch (StartException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            events.add("closed " + setting);
            if (setting.equals("closes badly")) {
                throw new IllegalStateException(setting);
            }
        }
    }

    private final class Running implements AutoCloseable {
        private final Gateway gateway;

        private Running(Gateway gateway) {
            this.gateway = gateway;
        }

        void reload(String setting) throws StartException {
            SigmaConfig config = read(setting);
            gateway.reload(
                    before -> new Gateway.Next(SnapshotCompiler.compile(config, ReloadPluginsTest.this::make, before)));
        }

        int port() {
            return gateway.addresses().getFirst().getPort();
        }

        String get() throws IOException {
            try (RawClient client = RawClient.connect(port())) {
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                return String.valueOf(client.readResponse().header("X-Noted"));
            }
        }

        @Override
        public void close() {
            gateway.stop(Duration.ZERO);
        }
    }
}
