package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.testkit.ManualClock;
import net.oooops.sigma.time.DeadlineWheel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The end of a connection to a node, while Sigma itself is at fault: all that have something on it are told of it, and so is its pool. */
@SuppressWarnings("NullAway.Init")
class LostConnectionTest {
    private final AtomicInteger told = new AtomicInteger();
    private LocalPair pair;

    /** One whose owner can't be told anything. */
    private final class BrokenCall extends ContentCall {
        @Override
        public void onResponseFault(Fault fault, @Nullable Refusal why) {
            told.incrementAndGet();
            throw new IllegalStateException("told");
        }
    }

    /** A node that says nothing. */
    private static final class Silent extends SimpleChannelInboundHandler<Object> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Object message) {}
    }

    @BeforeEach
    void connect() throws Exception {
        pair = LocalPair.open(new Silent(), new DeadlineWheel(new ManualClock()));
        pair.call(new BrokenCall());
        pair.call(new BrokenCall());
    }

    @AfterEach
    void stop() {
        pair.close();
    }

    private void lose() throws Exception {
        pair.onLoop(() -> pair.connection().channel().close());
    }

    @Test
    void whatIsThrownForOneStreamKeepsNothingFromTheOthers() throws Exception {
        lose();
        assertThat(told).hasValue(2);
        assertThat(pair.isLost()).isTrue();
        assertThat(pair.thrown()).hasMessage("told");
    }

    @Test
    void whatIsThrownForItsPoolKeepsNothingFromItsStreams() throws Exception {
        pair.onGoing(() -> {
            throw new IllegalStateException("going");
        });
        lose();
        assertThat(told).hasValue(2);
        assertThat(pair.isLost()).isTrue();
        assertThat(pair.thrown()).hasMessage("going");
    }
}
