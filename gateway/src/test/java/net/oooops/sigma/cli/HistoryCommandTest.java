package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.cli.SteeringTest.Said;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What the configurations that took effect have changed. */
@DisabledOnOs(OS.WINDOWS)
class HistoryCommandTest extends SteeredFixture {
    /** Of each what it changed, as `diff` says it, also of one that was rolled back to. */
    @Test
    void theHistorySaysWhatAConfigurationChanged() throws Exception {
        try (Running _ = run(JSON)) {
            String second = JSON.replace("127.0.0.1:1\"", "127.0.0.1:2\"");
            write(second);
            assertThat(say("reload").exitCode()).isZero();
            write("/* the same */ " + second);
            assertThat(say("reload").exitCode()).isZero();
            assertThat(say("rollback", "1").exitCode()).isZero();

            Said said = say("history", "2");
            assertThat(said.err()).isEmpty();
            assertThat(said.exitCode()).isZero();
            assertThat(said.out().lines().findFirst().orElse(""))
                    .matches("2 {2}20[0-9TZ:-]+ {2}[^ ]+ {2}sha256 [0-9a-f]{64}");
            assertThat(said.out().substring(said.out().indexOf('\n') + 1)).isEqualTo("""
                            against number 1:
                            upstreams: 1 changed (u: +1 node 127.0.0.1:2, -1 node 127.0.0.1:1)
                            nodes: 1 added (u/127.0.0.1:2), 1 removed (u/127.0.0.1:1)
                            """);
            assertThat(say("history", "3").out()).endsWith("\nagainst number 2:\nnothing changes\n");
            assertThat(say("history", "4").out())
                    .contains("\nagainst number 3:\n", "-1 node 127.0.0.1:2")
                    .doesNotContain("restart");
            assertThat(say("history", "1").out())
                    .contains("  start  sha256 ")
                    .endsWith("\nthe oldest that is kept: nothing to compare it with\n");
            assertThat(say("history").out()).hasLineCount(4);
        }
    }

    @Test
    void theHistorySaysItToProgramsToo() throws Exception {
        try (Running _ = run(JSON)) {
            write(JSON.replace("\"path\": \"/*\"", "\"path\": \"/a\""));
            assertThat(say("reload").exitCode()).isZero();
            JsonNode second =
                    new ObjectMapper().readTree(say("history", "2", "--json").out());
            assertThat(second.get("number").intValue()).isEqualTo(2);
            assertThat(second.get("against").intValue()).isEqualTo(1);
            assertThat(second.at("/changes/routes/changed/0/name").textValue()).isEqualTo("r/a");
            JsonNode first =
                    new ObjectMapper().readTree(say("history", "1", "--json").out());
            assertThat(first.get("against").isNull()).isTrue();
            assertThat(first.get("changes").isNull()).isTrue();
        }
    }

    /** What a file named that isn't kept may be gone. */
    @Test
    void theHistorySaysWhyItCanNotCompare() throws Exception {
        Path key = Files.writeString(folder.resolve("key"), "hidden-of-SteeringTest");
        String plugin =
                "{\"plugin\": {\"key-auth\": {\"consumers\": [{\"id\": \"a\", \"keys\": [{\"$file\": \"key\"}]}]}}, \"id\": \"a\"";
        try (Running _ = run(JSON.replace("{\"id\": \"a\"", plugin))) {
            write(JSON);
            assertThat(say("reload").out()).contains("plugins: 1 removed (route r/a / key-auth)");
            Said there = say("history", "2");
            assertThat(there.out())
                    .contains("plugins: 1 removed (route r/a / key-auth)")
                    .doesNotContain("hidden-of");
            Files.delete(key);
            Said gone = say("history", "2");
            assertThat(gone.exitCode()).isEqualTo(1);
            assertThat(gone.err())
                    .startsWith("configuration 1 can't be compared, as it has problems by now:\n")
                    .contains("sigma.json:3:", "/keys/0/$file: ");
            Said none = say("history", "77");
            assertThat(none.exitCode()).isEqualTo(1);
            assertThat(none.err()).isEqualTo("configuration 77: not kept (expected: 1 to 2)\n");
        }
    }
}
