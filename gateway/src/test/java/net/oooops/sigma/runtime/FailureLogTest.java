package net.oooops.sigma.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Isolated("the log")
class FailureLogTest {
    private final LoggedLines lines = new LoggedLines(Worker.class);
    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);
    private long nowNanos;
    private final FailureLog log = new FailureLog(() -> nowNanos, counters);

    @AfterEach
    void end() {
        lines.close();
    }

    @Test
    void eachListenerWhoseFramesAreRefusedIsNamed() {
        for (int i = 0; i < 3; i++) {
            log.frame("bolt_protocol", "calls", "192.0.2." + i);
            log.frame("bolt_checksum", "others", "192.0.2." + i);
        }
        nowNanos += TimeUnit.SECONDS.toNanos(10);
        log.frame("bolt_version", "calls", "192.0.2.9");

        assertThat(lines.lines())
                .containsExactly(
                        "WARN calls client 192.0.2.0: connection closed over a frame (bolt_protocol)",
                        "WARN others client 192.0.2.0: connection closed over a frame (bolt_checksum)",
                        "WARN calls client 192.0.2.9: connection closed over a frame (bolt_version); 3 times since this was last said");
    }

    @Test
    void wantOfDescriptorsIsCountedAndToldOnceForAllNodes() {
        Throwable out = new ChannelException("can't open", new IOException("Too many open files"));
        for (int i = 0; i < 3; i++) {
            log.noDescriptor("up", "192.0.2.1:80", out);
            log.noDescriptor("up", "192.0.2.2:80", out);
            log.accept("public", out);
            log.accept("other", out);
            log.accept("other", new IOException("Connection aborted"));
        }
        Counters counted = new CountersView(List.of(counters)).snapshot();
        assertThat(counted.count(Counter.UPSTREAM_OUT_OF_DESCRIPTORS)).isEqualTo(6);
        assertThat(counted.count(Counter.DOWNSTREAM_OUT_OF_DESCRIPTORS)).isEqualTo(6);
        assertThat(lines.lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith(
                                        "WARN upstream up node 192.0.2.1:80: not connected, out of file descriptors: "),
                        line -> assertThat(line)
                                .startsWith("WARN public: no connection can be accepted, out of file descriptors: "),
                        line -> assertThat(line).startsWith("WARN other: no connection can be accepted, out of file"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:9 | connection refused",
                "connect(..) failed with error(-111): Connection refused: node.example/10.0.0.1:80 | connection refused",
                "connect(..) failed: Network is unreachable: /[2001:db8::1]:80 | network is unreachable",
                "Connection refused: /127.0.0.1:9 | connection refused",
                "No route to host | no route to host",
                "finishConnect(..) failed | finishConnect(..) failed",
                "a: b | a: b"
            })
    void whyANodeWasntReachedIsSaidInTheSystemsWords(String message, String expected) {
        assertThat(FailureLog.plain(message)).isEqualTo(expected);
    }

    @Test
    void anotherFailureToAcceptIsSaidAsItIs() {
        log.accept("public", new IOException("Connection aborted"));
        assertThat(lines.lines())
                .containsExactly("WARN public: no connection can be accepted, java.io.IOException: Connection aborted");
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
