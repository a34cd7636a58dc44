package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many are served in each turn of the event loop, and when others are to wait behind those that are left. */
class ServingTurnsTest {
    private static final int EACH = 256;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private final ServingTurns turns = new ServingTurns(loop, this::serve);
    /** How many each serving served. */
    private final List<Integer> served = new ArrayList<>();

    private int waiting;
    private int throwsAt = -1;

    @AfterEach
    void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private void serve() {
        if (served.size() == throwsAt) {
            served.add(0);
            throw new IllegalStateException("by the test");
        }
        int now = 0;
        while (waiting > 0 && turns.left() > 0) {
            waiting--;
            turns.count();
            now++;
        }
        served.add(now);
    }

    private <T> T onLoop(Callable<T> asked) {
        return loop.submit(asked).syncUninterruptibly().getNow();
    }

    private boolean areSomeLeftAfter(int count) {
        return onLoop(() -> {
            waiting = count;
            serve();
            return turns.someAreLeft();
        });
    }

    @Test
    void whereOneTurnServesAllNobodyIsLeft() {
        assertThat(areSomeLeftAfter(EACH - 1)).isFalse();
        assertThat(onLoop(() -> List.copyOf(served))).containsExactly(EACH - 1);
    }

    @Test
    void theRestIsServedInTheTurnsThatFollow() {
        assertThat(areSomeLeftAfter(2 * EACH + 10)).isTrue();
        Await.until("all are served", () -> onLoop(() -> waiting == 0 && !turns.someAreLeft()));
        assertThat(onLoop(() -> List.copyOf(served))).containsExactly(EACH, EACH, 10);
        assertThat(onLoop(turns::left)).isEqualTo(EACH);
    }

    @Test
    void whereServingThrowsNobodyWaitsForATurnThatDoesNotCome() {
        throwsAt = 1;
        assertThat(areSomeLeftAfter(2 * EACH)).isTrue();
        Await.until("it threw", () -> onLoop(() -> served.size() == 2));
        assertThat(onLoop(turns::someAreLeft)).isFalse();
    }
}
