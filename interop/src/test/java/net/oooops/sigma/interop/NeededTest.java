package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class NeededTest {
    @Test
    void aProgramThatIsMissingFailsWhereEverythingIsToBeShown() {
        assertThatThrownBy(() -> Needed.here(false, "a program", true)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> Needed.here(false, "a program", false)).isInstanceOf(TestAbortedException.class);
        assertThatCode(() -> Needed.here(true, "a program", true)).doesNotThrowAnyException();
    }
}
