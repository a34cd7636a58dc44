package net.oooops.sigma.control.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogLevelsTest {
    private static final String NAME = "net.oooops.sigma.noclass.OfThisTest";

    private static Answer ask(@Nullable String level, @Nullable String logger) throws Refused {
        Map<String, @Nullable Object> arguments = new HashMap<>();
        arguments.put("level", level);
        arguments.put("logger", logger);
        return new LogLevels().answer(new Asked("log-level", arguments, "a", Duration.ZERO));
    }

    @Test
    void aLevelIsSetAndSaid() throws Refused {
        assertThat(ask("trace", NAME).text()).contains(NAME + " TRACE");
        assertThat(LoggerFactory.getLogger(NAME).isTraceEnabled()).isTrue();
        assertThat(ask("ERROR", NAME).text()).contains(NAME + " ERROR");
        assertThat(LoggerFactory.getLogger(NAME).isWarnEnabled()).isFalse();
        assertThat(ask(null, null).text()).contains(NAME + " ERROR");
    }

    @Test
    void whatIsNoLevelOrLoggerIsRefused() {
        assertThatThrownBy(() -> ask("verbose", NAME))
                .isInstanceOf(Refused.class)
                .hasMessage("level: verbose (expected: one of OFF, ERROR, WARN, INFO, DEBUG, TRACE)");
        assertThatThrownBy(() -> ask("INFO", "a b"))
                .isInstanceOf(Refused.class)
                .hasMessageStartingWith("logger: a b (expected: the name of a class or a package");
    }
}
