package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import net.oooops.sigma.config.Secrets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class GatewayLogTest {
    private final LoggerContext context = new LoggerContext();

    private String line(String message, @Nullable Throwable thrown) {
        ch.qos.logback.classic.Logger logger = context.getLogger("net.oooops.sigma.runtime.Worker");
        LoggingEvent event = new LoggingEvent("", logger, Level.WARN, message, thrown, new Object[] {"u1"});
        event.setInstant(Instant.parse("2000-10-10T20:55:36.120Z"));
        return new String(new GatewayLogEncoder().encode(event), StandardCharsets.UTF_8);
    }

    @Test
    void aLineIsForPeople() {
        assertThat(line("upstream {}: gone é", null))
                .isEqualTo("2000-10-10T20:55:36.120Z WARN  Worker: upstream u1: gone é\n");
    }

    @Test
    void aMessageStaysOneLine() {
        assertThat(line("a\r\nb\u007f\tc", null))
                .isEqualTo("2000-10-10T20:55:36.120Z WARN  Worker: a\\x0D\\x0Ab\\x7F\\x09c\n");
    }

    /** What was written for a terminal ends with a line end. */
    @Test
    void anEndOfLineIsNoPartOfAMessage() {
        assertThat(line("refused: a problem\n", null))
                .isEqualTo("2000-10-10T20:55:36.120Z WARN  Worker: refused: a problem\n");
    }

    @Test
    void aStackTraceFollows() {
        assertThat(line("failed", new IllegalStateException("why")))
                .startsWith("2000-10-10T20:55:36.120Z WARN  Worker: failed\njava.lang.IllegalStateException: why\n")
                .contains("\tat net.oooops.sigma.observe.GatewayLogTest");
    }

    /** What plugins and libraries say is their own. */
    @Test
    void secretsAreNeitherInAMessageNorInATrace() {
        HiddenTexts.add(new Secrets(List.of("first of GatewayLogTest")));
        HiddenTexts.add(new Secrets(List.of("second of GatewayLogTest")));
        assertThat(line(
                        "no login with first of GatewayLogTest",
                        new IllegalStateException(
                                "no second of GatewayLogTest", new IOException("nor first of GatewayLogTest"))))
                .startsWith("2000-10-10T20:55:36.120Z WARN  Worker: no login with (secret)\n"
                        + "java.lang.IllegalStateException: no (secret)\n")
                .contains("Caused by: java.io.IOException: nor (secret)\n")
                .doesNotContain("of GatewayLogTest");
    }

    @Test
    void librariesSayOnlyWhatIsWrong() {
        GatewayLog log = new GatewayLog();
        log.setContext(context);
        assertThat(log.configure(context)).isEqualTo(ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
        assertThat(context.getLogger("net.oooops.sigma.control").isInfoEnabled())
                .isTrue();
        assertThat(context.getLogger("net.oooops.sigma.control").isDebugEnabled())
                .isFalse();
        assertThat(context.getLogger("io.netty.channel").isInfoEnabled()).isFalse();
        assertThat(context.getLogger("io.vertx.core").isWarnEnabled()).isTrue();
    }

    @Test
    void logbackFindsIt() {
        LoggerContext found = (LoggerContext) LoggerFactory.getILoggerFactory();
        assertThat(found.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("stderr"))
                .isNotNull();
    }
}
