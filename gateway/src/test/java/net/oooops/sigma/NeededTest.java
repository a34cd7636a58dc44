package net.oooops.sigma;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.oooops.sigma.config.RuntimeConfig.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

class NeededTest {
    @ParameterizedTest
    @CsvSource({"IO_URING, Linux", "EPOLL, Linux", "KQUEUE, Mac OS X", "NIO, Windows 11"})
    void whatTheSystemShouldHaveFailsWhereEverythingIsToBeShown(Transport transport, String system) {
        assertThatThrownBy(() -> Needed.transport(transport, "no library", system, true))
                .isInstanceOf(AssertionError.class)
                .hasMessage("%s works here (no library): not so (expected where SIGMA_CI is set)", transport);
        assertThatThrownBy(() -> Needed.transport(transport, "no library", system, false))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining("no library");
    }

    @ParameterizedTest
    @CsvSource({"KQUEUE, Linux", "IO_URING, Mac OS X", "EPOLL, Mac OS X"})
    void whatOnlyAnotherSystemHasIsLeftOut(Transport transport, String system) {
        assertThatThrownBy(() -> Needed.transport(transport, "no library", system, true))
                .isInstanceOf(TestAbortedException.class);
    }

    @Test
    void whatIsThereIsUsed() {
        assertThatCode(() -> Needed.transport(Transport.IO_URING, null, "Linux", true))
                .doesNotThrowAnyException();
        assertThatCode(() -> Needed.here(true, "a program", true)).doesNotThrowAnyException();
    }

    @Test
    void aProgramThatIsMissingFailsWhereEverythingIsToBeShown() {
        assertThatThrownBy(() -> Needed.here(false, "a program", true)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> Needed.here(false, "a program", false)).isInstanceOf(TestAbortedException.class);
    }
}
