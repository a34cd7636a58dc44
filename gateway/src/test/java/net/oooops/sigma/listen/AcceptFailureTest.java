package net.oooops.sigma.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a listening socket where accepting fails. */
class AcceptFailureTest {
    private final List<Throwable> told = new ArrayList<>();
    private final EmbeddedChannel listening = new EmbeddedChannel(Binding.pausing(told::add));

    @BeforeEach
    void begin() {
        listening.freezeTime();
        listening.config().setAutoRead(true);
    }

    @AfterEach
    void close() {
        listening.close();
    }

    private void fail(Throwable cause) {
        listening.pipeline().fireExceptionCaught(cause);
        listening.runPendingTasks();
    }

    private boolean accepts() {
        return listening.config().isAutoRead();
    }

    /** ECONNABORTED, EPROTO, EHOSTUNREACH. */
    @ParameterizedTest
    @ValueSource(ints = {103, 71, 113})
    void oneThatIsGoneBeforeItIsAcceptedKeepsNoOtherWaiting(int error) {
        Needed.transport(Transport.EPOLL);
        fail(new NativeIoException("accept", -error));
        assertThat(accepts()).isTrue();
        assertThat(told).isEmpty();
    }

    /** EMFILE, ENFILE, ENOBUFS, ENOMEM; and EINVAL, of a socket that no longer listens. */
    @ParameterizedTest
    @ValueSource(ints = {24, 23, 105, 12, 22})
    void forWantOfSomethingItPauses(int error) {
        Needed.transport(Transport.EPOLL);
        pauses(new NativeIoException("accept", -error));
    }

    @Test
    void forWhateverElseItPauses() {
        pauses(new IOException("Too many open files"));
    }

    private void pauses(Throwable cause) {
        fail(cause);
        assertThat(told).containsExactly(cause);
        assertThat(accepts()).isFalse();
        listening.advanceTimeBy(Binding.PAUSE_MILLIS - 1, TimeUnit.MILLISECONDS);
        listening.runPendingTasks();
        assertThat(accepts()).isFalse();
        listening.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        listening.runPendingTasks();
        assertThat(accepts()).isTrue();
    }
}
