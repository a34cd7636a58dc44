package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@EnabledOnOs(OS.LINUX)
class DescriptorsTest {
    @BeforeAll
    static void loadWhatKnowsErrors() {
        Epoll.ensureAvailability();
    }

    static Stream<Throwable> out() {
        return Stream.of(
                Errors.newIOException("accept", -24),
                Errors.newIOException("accept", -23),
                new IOException("Too many open files"),
                new ChannelException("Unable to open", Errors.newIOException("newSocketStream", -24)),
                new ChannelException(new RuntimeException(new IOException("Too many open files in system"))));
    }

    static Stream<Throwable> other() {
        IOException loop = new IOException("a");
        loop.initCause(new IOException("b", loop));
        return Stream.of(
                Errors.newIOException("connect", -111),
                new ConnectException("Connection refused"),
                new IOException(),
                new RuntimeException("Too many open files"),
                loop);
    }

    @Test
    void theLimitIsTheFirstNumberOfItsLine() {
        String line = "Max open files            1024                 524288               files     \n";
        assertThat(Descriptors.limit("Limit   Soft Limit\n" + line)).isEqualTo("1024");
        assertThat(Descriptors.limit(
                        "Limit\nMax open files            unlimited            unlimited            files\n"))
                .isNull();
        assertThat(Descriptors.limit("Limit\nMax processes             96365                96365\n"))
                .isNull();
        assertThat(Descriptors.limit("")).isNull();
    }

    @ParameterizedTest
    @MethodSource
    void out(Throwable failure) {
        assertThat(Descriptors.areOut(failure)).isTrue();
        assertThat(Descriptors.text(failure)).startsWith("out of file descriptors: ");
    }

    @ParameterizedTest
    @MethodSource
    void other(Throwable failure) {
        assertThat(Descriptors.areOut(failure)).isFalse();
    }

    /** Whatever the limit is, all parts together leave a reserve. */
    @ParameterizedTest
    @CsvSource({
        // all, of connections, those of clients, those to nodes, of sessions
        "100, 50, 44, 25, 12",
        "300, 150, 132, 75, 37",
        "1024, 512, 448, 256, 128",
        "20000, 17500, 15313, 8750, 4375",
        "1048576, 917504, 802816, 458752, 229376"
    })
    void thePartsLeaveAReserve(int all, int connections, int clients, int nodes, int sessions) {
        assertThat(Descriptors.ofConnections(all)).isEqualTo(connections);
        assertThat(Descriptors.ofClients(all)).isEqualTo(clients);
        assertThat(Descriptors.ofNodes(all)).isEqualTo(nodes);
        assertThat(Descriptors.ofSessions(all)).isEqualTo(sessions);
        assertThat(all - connections).isGreaterThanOrEqualTo(Math.min(512, all / 2));
    }

    @Test
    void whatHasNoRoomIsOut() {
        assertThat(Descriptors.areOut(Descriptors.noRoom(7))).isTrue();
        assertThat(Descriptors.text(Descriptors.noRoom(7)))
                .isEqualTo("out of file descriptors: 7"
                        + " connections to nodes, the part that they may take of " + Descriptors.all()
                        + " (ulimit -n)");
    }

    /** A container may be without /proc, and macOS has none. */
    @Test
    void theJvmKnowsTheSameLimit() {
        assertThat(Descriptors.asked()).isEqualTo(Descriptors.all());
    }

    @Test
    void theLimitIsNamed() throws IOException {
        String limit = Files.readAllLines(Path.of("/proc/self/limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split(" +", -1)[3])
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < 2; i++) {
            assertThat(Descriptors.text(new IOException("Too many open files")))
                    .isEqualTo("out of file descriptors: " + limit + " open of " + limit + " (ulimit -n)");
        }
        assertThat(Descriptors.text(Errors.newIOException("accept", -23)))
                .isEqualTo("out of file descriptors: all of the system's are open (fs.file-max)");
    }
}
