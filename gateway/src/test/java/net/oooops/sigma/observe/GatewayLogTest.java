package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import com.fasterxml.jackson.databind.ObjectMapper;
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
        return line(new GatewayLogEncoder(), message, thrown);
    }

    private String json(String message, @Nullable Throwable thrown) {
        return line(new GatewayLogJson(), message, thrown);
    }

    private String line(Encoder<ILoggingEvent> encoder, String message, @Nullable Throwable thrown) {
        ch.qos.logback.classic.Logger logger = context.getLogger("net.oooops.sigma.runtime.Worker");
        LoggingEvent event = new LoggingEvent("", logger, Level.WARN, message, thrown, new Object[] {"u1"});
        event.setInstant(Instant.parse("2000-10-10T20:55:36.120Z"));
        event.setThreadName("vert.x \"1\"");
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
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
    void anEventIsALineOfJson() {
        assertThat(json("upstream {}: gone é", null))
                .isEqualTo("{\"time\":\"2000-10-10T20:55:36.120Z\",\"level\":\"WARN\","
                        + "\"logger\":\"net.oooops.sigma.runtime.Worker\",\"thread\":\"vert.x \\\"1\\\"\","
                        + "\"message\":\"upstream u1: gone é\",\"exception\":null}\n");
    }

    /** Whatever a peer has sent: no reader takes it for the end of a line, and every reader gets it back. */
    @Test
    void everyCharacterIsRightInJson() throws IOException {
        StringBuilder all = new StringBuilder("[");
        for (char c = 0; c < 0x3000; c++) {
            all.append(c);
        }
        all.append("\uD83D\uDE00]");
        String line = json(all.toString(), null);
        assertThat(line.chars().filter(c -> c < ' ' || c == 0x7F || c == 0x2028 || c == 0x2029))
                .containsExactly((int) '\n');
        assertThat(new ObjectMapper().readTree(line).get("message").textValue()).isEqualTo(all.toString());
    }

    @Test
    void aStackTraceIsAMemberOfJson() throws IOException {
        String line = json("failed", new IllegalStateException("why", new IOException("deep")));
        assertThat(line).hasLineCount(1);
        assertThat(new ObjectMapper().readTree(line).get("exception").textValue())
                .startsWith("java.lang.IllegalStateException: why\n")
                .contains("\tat net.oooops.sigma.observe.GatewayLogTest", "Caused by: java.io.IOException: deep\n");
    }

    /** They are looked for before anything of them is escaped. */
    @Test
    void secretsAreNotInJson() {
        HiddenTexts.add(new Secrets(List.of("GatewayLogTest\"s\\third")));
        assertThat(json(
                        "no login with GatewayLogTest\"s\\third",
                        new IllegalStateException("nor GatewayLogTest\"s\\third")))
                .contains("\"message\":\"no login with (secret)\"", "IllegalStateException: nor (secret)\\n")
                .doesNotContain("third");
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
