package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process that takes another one's place, and can't have a socket for commands. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class UnreachableSuccessorTest extends UpgradeFixture {
    @Test
    void whoAskedIsToldAndItTriesAgain() throws Exception {
        try (ScriptedUpstream node =
                        ScriptedUpstream.play(Script.script().readRequest().respond(Answer.ok("a")));
                SigmaProcess sigma = run("{}", node)) {
            Await.until("it serves", () -> serving() != 0);
            // What a new socket needs can't be written, as on a full disk.
            Path lock = runFolder().path().resolve(".lock");
            Files.deleteIfExists(lock);
            Files.createDirectory(lock);
            Said said = say("upgrade");
            assertThat(said.exitCode()).as(said.err()).isZero();
            assertThat(said.out() + said.err())
                    .contains("warning: `sigma status` and others can't reach pid ")
                    .contains(", which tries again by itself: ");
            assertThat(sigma.err()).contains("asked for an upgrade: `sigma status` and others can't reach pid ");
            assertThat(serving()).isZero();
            Files.delete(lock);
            Await.until("it is reached", () -> serving() != 0);
            assertThat(status().path("pid").longValue()).isEqualTo(serving());
        }
    }
}
