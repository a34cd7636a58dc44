package net.oooops.sigma.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.ManualClock;
import org.junit.jupiter.api.Test;

class LoopClockTest {
    /** All that happens in one turn of the loop happens at one time; the next turn has its own. */
    @Test
    void isReadOnceInATurn() throws Exception {
        try (EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
            SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
            ManualClock source = ManualClock.startingAt(7);
            LoopClock clock = loop.submit(() -> new LoopClock(loop, source)).get(10, TimeUnit.SECONDS);
            for (long expected = 7; expected < 12; expected++) {
                long[] read = loop.submit(() -> {
                            long first = clock.nanos();
                            source.advance(Duration.ofNanos(1));
                            return new long[] {first, clock.nanos()};
                        })
                        .get(10, TimeUnit.SECONDS);
                assertThat(read).containsExactly(expected, expected);
                // Only when that turn is over is the next task's a turn of its own.
                awaitTurn(loop);
            }
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
        }
    }

    /** What takes long within a turn is seen by who asks for it, and by who comes after. */
    @Test
    void isReadAnewWhereAsked() throws Exception {
        try (EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
            SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
            ManualClock source = ManualClock.startingAt(7);
            LoopClock clock = loop.submit(() -> new LoopClock(loop, source)).get(10, TimeUnit.SECONDS);
            long[] read = loop.submit(() -> {
                        long first = clock.now();
                        source.advance(Duration.ofNanos(1));
                        long same = clock.nanos();
                        long anew = clock.now();
                        source.advance(Duration.ofNanos(1));
                        return new long[] {first, same, anew, clock.nanos()};
                    })
                    .get(10, TimeUnit.SECONDS);
            assertThat(read).containsExactly(7, 7, 8, 8);
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
        }
    }

    /** Runs a task that a timer brings: it comes in a later turn than what was submitted before. */
    private static void awaitTurn(SingleThreadEventLoop loop) throws Exception {
        loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get(10, TimeUnit.SECONDS);
    }
}
