package net.oooops.sigma.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.bolt.FrameRefusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log")
class FailureLogTest {
    private final LoggedLines lines = new LoggedLines(Worker.class);
    private long nowNanos;
    private final FailureLog log = new FailureLog(() -> nowNanos);

    @AfterEach
    void end() {
        lines.close();
    }

    @Test
    void eachListenerWhoseFramesAreRefusedIsNamed() {
        for (int i = 0; i < 3; i++) {
            log.frame(FrameRefusal.PROTOCOL, "calls", "192.0.2." + i);
            log.frame(FrameRefusal.CHECKSUM, "others", "192.0.2." + i);
        }
        nowNanos += TimeUnit.SECONDS.toNanos(10);
        log.frame(FrameRefusal.VERSION, "calls", "192.0.2.9");

        assertThat(lines.lines())
                .containsExactly(
                        "WARN calls client 192.0.2.0: connection closed over a frame (" + FrameRefusal.PROTOCOL.label()
                                + ")",
                        "WARN others client 192.0.2.0: connection closed over a frame (" + FrameRefusal.CHECKSUM.label()
                                + ")",
                        "WARN calls client 192.0.2.9: connection closed over a frame (" + FrameRefusal.VERSION.label()
                                + "); 3 times since this was last said");
    }

    @Test
    void aFaultOfItsOwnIsToldApartByWhatIsThrownAndWhere() {
        for (int i = 0; i < 3; i++) {
            log.thrown(new IllegalStateException("one place"));
            log.thrown(new IllegalStateException("another"));
            log.thrown(new IllegalArgumentException("another kind"));
        }
        assertThat(lines.lines()).hasSize(3).allMatch(line -> line.startsWith("ERROR a fault of the gateway itself"));
    }
}
