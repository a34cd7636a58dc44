package net.oooops.sigma.control.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogLevelsTest {
    private static final String NAME = "net.oooops.sigma.noclass.OfThisTest";

    /** One that the log's own configuration says something of. */
    private static final String CONFIGURED = "net.oooops.sigma.noclass.Configured";

    private static void configure(@Nullable Level level) {
        ((Logger) LoggerFactory.getLogger(CONFIGURED)).setLevel(level);
    }

    @BeforeEach
    void configure() {
        configure(Level.WARN);
    }

    @AfterEach
    void takeBack() {
        LogLevels.hear(Map.of());
        configure(null);
    }

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
    void whatWasSetIsTakenBack() throws Refused {
        assertThat(ask("DEBUG", NAME).text()).contains(NAME + " DEBUG");
        assertThat(ask("TRACE", NAME).text()).contains(NAME + " TRACE");
        assertThat(ask("default", NAME).text()).doesNotContain(NAME);
        assertThat(LogLevels.said()).doesNotContainKey(NAME);
        String before = ask(null, null).text();
        assertThat(before).contains(CONFIGURED + " WARN");
        assertThat(ask("Default", CONFIGURED).text()).as("nobody has set it").isEqualTo(before);
        assertThat(ask("DEBUG", CONFIGURED).text()).contains(CONFIGURED + " DEBUG");
        assertThat(ask("default", CONFIGURED).text()).isEqualTo(before);
    }

    @Test
    void thatOfAllOthersIsTakenBackToo() throws Refused {
        String before = ask(null, null).text();
        assertThat(ask("DEBUG", null).text()).startsWith("DEBUG").isNotEqualTo(before);
        assertThat(ask("default", null).text()).isEqualTo(before);
    }

    /** All that holds is told each time. */
    @Test
    void whatIsToldNoMoreIsTakenBack() throws Refused {
        LogLevels.hear(Map.of(NAME, "TRACE"));
        assertThat(ask(null, null).text()).contains(NAME + " TRACE");
        LogLevels.hear(Map.of(CONFIGURED, "what"));
        assertThat(ask(null, null).text()).doesNotContain(NAME);
        assertThat(LogLevels.said()).isEmpty();
    }

    @Test
    void whatIsNoLevelOrLoggerIsRefused() {
        assertThatThrownBy(() -> ask("verbose", NAME))
                .isInstanceOf(Refused.class)
                .hasMessage("level: verbose (expected: one of OFF, ERROR, WARN, INFO, DEBUG, TRACE, default)");
        assertThatThrownBy(() -> ask("INFO", "a b"))
                .isInstanceOf(Refused.class)
                .hasMessageStartingWith("logger: a b (expected: the name of a class or a package");
    }
}
