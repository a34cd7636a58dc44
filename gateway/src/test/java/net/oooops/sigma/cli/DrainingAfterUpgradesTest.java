package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.oooops.sigma.admin.Versions;
import net.oooops.sigma.control.socket.DrainingProcess;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Of three processes the first ends what it has begun, the second has ended, and the third serves: who asks that one hears of the first. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
@SuppressWarnings("NullAway.Init")
class DrainingAfterUpgradesTest extends UpgradeFixture {
    private static final Duration LONG = Duration.ofSeconds(40);

    private final Gate gate = new Gate();
    private ScriptedUpstream node;
    private SigmaProcess sigma;
    private RawClient client;
    private long first;

    @BeforeEach
    void start() throws Exception {
        node = ScriptedUpstream.play(Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
        sigma = started();
        first = sigma.process().pid();
        client = RawClient.connect(sigma.port());
        client.send(GET);
        node.awaitHeads(1);
        assertThat(say("upgrade").err()).isEmpty();
    }

    /** Upgrades take their time where cores are few: whoever asks waits for as long. */
    private SigmaProcess started() throws IOException {
        String json = """
                {"proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                 "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
                 "proxy-pass": [{"id": "p", "upstream-id": "u", "timeout": "10m"}],
                 "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:%d"]}],
                 "timeouts": {"drain": "1s"}}
                """.formatted(node.port());
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        SigmaProcess process =
                SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString()));
        process.awaitListening();
        return process;
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        sigma.close();
        node.close();
    }

    /** A third process serves, and the second has ended. */
    private void upgradeAgain() {
        long second = serving();
        assertThat(say("upgrade").err()).isEmpty();
        Await.until("the second to end", LONG, () -> hasEnded(second));
    }

    private static void drain(Path conf, String time) throws IOException {
        Files.writeString(conf, Files.readString(conf).replace("\"1s\"", "\"" + time + "\""));
    }

    @Test
    void theStatusShowsItAndAStopIsForItToo() throws Exception {
        assertThat(status().at("/still_draining/0/pid").longValue()).isEqualTo(first);
        upgradeAgain();

        JsonNode all = status().at("/still_draining");
        assertThat(all).hasSize(1);
        JsonNode it = all.get(0);
        assertThat(it.get("pid").longValue()).isEqualTo(first);
        assertThat(it.get("version").textValue()).isEqualTo(Versions.read().sigma());
        assertThat(it.get("connections").intValue()).isOne();
        assertThat(Instant.parse(it.get("until").textValue()))
                .isEqualTo(Instant.parse(it.get("since").textValue()).plus(Duration.ofMinutes(15)));
        assertThat(say("status").out())
                .containsPattern("  still drains   pid " + first + " \\(sigma .*, 1 connection,");

        Said stop = say("stop");
        assertThat(stop.err()).isEmpty();
        assertThat(stop.out()).startsWith("stopped: pid ").doesNotContain("drains");
        assertThat(hasEnded(first)).isTrue();
        assertThat(SigmaProcess.runDir(folder)).isDirectoryNotContaining("glob:**.drains");
    }

    @Test
    void aStopSaysWhoTakesLonger() throws Exception {
        drain(folder.resolve("sigma.json"), "10ms");
        upgradeAgain();
        // It has the time that it was started with, and doesn't even begin to end.
        sigma.signal("STOP");

        Said stop = say("stop");
        sigma.signal("CONT");

        assertThat(stop.err()).isEmpty();
        assertThat(stop.out())
                .contains("still drains: pid " + first + " (sigma ")
                .contains("`kill -9 " + first + "` ends it at once");
        assertThat(sigma.exitCode()).isZero();
    }

    @Test
    void whereNobodyServesItIsNamedAndCanBeEnded() throws Exception {
        upgradeAgain();
        long third = serving();
        SigmaProcess.kill(third);
        Await.until("nobody serves", () -> serving() == 0);

        Said status = say("status");
        assertThat(status.exitCode()).isEqualTo(Exit.NONE);
        assertThat(status.err())
                .contains("no gateway is running")
                .contains("still drains: pid " + first + " (sigma ")
                .contains("`sigma stop --pid " + first + "` ends it");

        assertThat(say("stop", "--pid", String.valueOf(first)).out()).startsWith("stopped: pid " + first);
        assertThat(hasEnded(first)).isTrue();
    }

    @Test
    void oneThatServesAgainDrainsNoMore() throws Exception {
        SigmaProcess.kill(serving());
        Await.until("serving again", () -> serving() == first);
        Await.until("told", () -> DrainingProcess.in(runFolder()).isEmpty());
        gate.release();
        assertThat(client.readResponse().bodyText()).isEqualTo("late");
    }
}
