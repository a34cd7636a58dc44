package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Objects;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.control.upgrade.Predecessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log")
class PredecessorGoneTest {
    @TempDir
    private Path folder;

    /** As that of an upgrade that was killed before this process was started. */
    @Test
    void thatTheProcessBeforeHasEndedIsSaidOnce() throws Exception {
        String gone = folder.resolve("gone.next").toString();
        try (ServerSocket taken = new ServerSocket(0);
                LoggedLines log = new LoggedLines(Predecessor.class)) {
            Run run = new Run(Signals.byHand(), name -> name.equals("SIGMA_UPGRADE") ? gone : null);
            RunWords words = Objects.requireNonNull(RunWords.plain(
                    new String[] {"--to", "http://127.0.0.1:1", "--port", "" + taken.getLocalPort(), "-instance", "1"
                    }));
            Shell shell = new Shell();

            assertThatThrownBy(() -> run.run(words, shell.console())).isInstanceOf(Failure.class);

            assertThat(log.lines()).singleElement().asString().contains("it is started as if there had been none");
        }
    }
}
