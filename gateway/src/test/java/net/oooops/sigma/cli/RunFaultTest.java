package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.LoggedLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log of the process")
class RunFaultTest {
    private final Shell shell = new Shell();

    /** Where all that is said goes to the log, a fault does; else to where people look. */
    @Test
    void aFaultIsToldWhereAllElseIs() {
        AssertionError fault = new AssertionError("for a test");
        Console console = shell.console();
        try (LoggedLines log = new LoggedLines(Run.class)) {
            assertThat(Run.fault(fault, LogFormat.JSON, console)).isEqualTo(Exit.PROBLEMS);
            assertThat(log.lines()).containsExactly("ERROR sigma run: a fault of Sigma's own, or of a plugin's");
            assertThat(shell.err()).isEmpty();
            assertThat(Run.fault(fault, null, console)).isEqualTo(Exit.PROBLEMS);
            assertThat(log.lines()).hasSize(1);
        }
        assertThat(shell.err()).startsWith("java.lang.AssertionError: for a test");
    }
}
