package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** An outage is said once, and its end, however many ask. */
@Isolated("it looks at what the whole process says")
class NameOutagesTest {
    private final NameOutages outages = new NameOutages();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger log = (Logger) LoggerFactory.getLogger(NameOutages.class);

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(lines);
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void eachOutageIsSaidOnceAndItsEnd() {
        outages.failed("a.example", "no answer in time", System.nanoTime(), true);
        outages.failed("a.example", "refused", System.nanoTime(), true);
        outages.failed("b.example", "refused", System.nanoTime(), false);
        assertThat(outages.failureCount()).isEqualTo(3);
        assertThat(outages.failingCount()).isEqualTo(2);
        outages.answered("a.example");
        outages.answered("a.example");
        outages.answered("c.example");
        assertThat(outages.failingCount()).isEqualTo(1);
        assertThat(said())
                .containsExactly(
                        "name a.example: not resolved (no answer in time); what was last known stays in use",
                        "name b.example: not resolved (refused); nothing is known yet",
                        "name a.example: resolved again");
        outages.failed("a.example", "refused", System.nanoTime(), true);
        assertThat(said()).hasSize(4);
    }

    @Test
    void aQuestionFromBeforeTheEndIsNoNewOutage() {
        long before = System.nanoTime();
        outages.failed("a.example", "refused", before, true);
        outages.answered("a.example");
        outages.failed("a.example", "no answer in time", before, true);
        assertThat(outages.failingCount()).isZero();
        assertThat(outages.failureCount()).isEqualTo(2);
        assertThat(said()).hasSize(2);
    }

    @Test
    void manyNamesAreCountedNotSaid() {
        for (int i = 0; i < 100; i++) {
            outages.failed("n" + i + ".example", "refused", System.nanoTime(), true);
        }
        assertThat(said()).hasSize(NameOutages.SAID_MAX + 1);
        assertThat(said().getLast()).contains("more than 10");
        assertThat(outages.failingCount()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            outages.answered("n" + i + ".example");
        }
        assertThat(said()).hasSize(2 * NameOutages.SAID_MAX + 1);
        assertThat(outages.failingCount()).isZero();
    }
}
