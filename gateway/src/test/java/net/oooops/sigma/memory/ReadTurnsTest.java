package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In which order connections are read that bring more than is read at once. */
class ReadTurnsTest {
    private static final int MUCH = 128 * 1024;
    /** So many of those that bring much are read in one turn. */
    private static final int FEW = ReadTurns.BYTES_PER_TURN / MUCH;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private final ReadTurns turns = new ReadTurns();

    @AfterEach
    void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** A connection that, as often as it is its turn, brings much. Its number is noted, with that of the turn of the event loop. */
    private final class Much implements ReadTurns.Reader {
        private final int number;
        private final int timesMax;
        private int times;
        private boolean waits;

        Much(int number, int timesMax) {
            this.number = number;
            this.timesMax = timesMax;
        }

        void read() {
            if (++times <= timesMax) {
                order.add(number);
                waits = turns.isOver(loop, this);
            }
        }

        @Override
        public int turnBytes() {
            return MUCH;
        }

        @Override
        public boolean isFilled() {
            return true;
        }

        @Override
        public void readOn() {
            perTurn.set(perTurn.size() - 1, perTurn.getLast() + 1);
            // What was read of it comes with the next turn.
            loop.execute(this::read);
        }
    }

    private final List<Integer> order = new ArrayList<>();
    private final List<Integer> perTurn = new ArrayList<>();

    private void countTurns() {
        perTurn.add(0);
        if (perTurn.size() < 100) {
            loop.execute(() -> loop.executeAfterEventLoopIteration(this::countTurns));
        }
    }

    private List<Much> read(int count, int timesMax) {
        List<Much> all = IntStream.range(0, count)
                .mapToObj(number -> new Much(number, timesMax))
                .toList();
        loop.submit(() -> {
                    countTurns();
                    all.forEach(Much::read);
                })
                .syncUninterruptibly();
        while (loop.submit(perTurn::size).syncUninterruptibly().getNow() < 100) {
            Thread.onSpinWait();
        }
        return all;
    }

    @Test
    void fewAreReadOnAtOnce() {
        List<Much> all = read(FEW - 1, 1);
        assertThat(all).noneMatch(each -> each.waits);
    }

    @Test
    void ofManySomeAreReadWithEachTurnAndAllInOrder() {
        read(5 * FEW, 3);
        assertThat(perTurn).allMatch(count -> count <= FEW);
        // Those that didn't have to wait weren't in the row, and bring nothing more here.
        List<Integer> waited = IntStream.range(FEW - 1, 5 * FEW).boxed().toList();
        List<Integer> expected =
                new ArrayList<>(IntStream.range(0, FEW - 1).boxed().toList());
        IntStream.range(0, 3).forEach(round -> expected.addAll(waited));
        assertThat(order).containsExactlyElementsOf(expected);
    }

    @Test
    void nobodyWaitsForEver() {
        List<Much> all = read(3 * FEW, 1);
        loop.submit(() -> {}).syncUninterruptibly();
        assertThat(perTurn.stream().mapToInt(count -> count).sum()).isEqualTo(2 * FEW + 1);
        assertThat(all).hasSize(3 * FEW);
    }

    /** A connection that brings so much, once. */
    private record Brings(int turnBytes, boolean isFilled) implements ReadTurns.Reader {
        @Override
        public void readOn() {}
    }

    private boolean waits(int bytes, boolean filled) {
        return turns.isOver(loop, new Brings(bytes, filled));
    }

    @Test
    void whatIsSmallDoesNotWaitBeforeTheTurnIsSpent() {
        List<Boolean> waits = loop.submit(() -> IntStream.range(0, 1000)
                        .mapToObj(each -> waits(ReadTurns.BYTES_MIN - 1, true))
                        .toList())
                .syncUninterruptibly()
                .getNow();
        assertThat(waits).hasSize(1000).containsOnly(false);
    }

    @Test
    void aSpentTurnHasThoseWaitThatWereNotReadOn() {
        List<Boolean> said = loop.submit(() -> List.of(
                        turns.isSpent(),
                        waits(ReadTurns.BYTES_PER_TURN, true),
                        turns.isSpent(),
                        waits(BoundedReadSize.FIRST_BYTES, true),
                        waits(BoundedReadSize.FIRST_BYTES, false),
                        waits(BoundedReadSize.FIRST_BYTES - 1, true)))
                .syncUninterruptibly()
                .getNow();
        assertThat(said).containsExactly(false, true, true, true, false, false);
        loop.submit(() -> {}).syncUninterruptibly();
        assertThat(loop.submit(turns::isSpent).syncUninterruptibly().getNow()).isFalse();
    }

    /** One that brings so much that it is everybody's turn from then on, and does that when it is its own. */
    private record Turn(Runnable does) implements ReadTurns.Reader {
        @Override
        public int turnBytes() {
            return ReadTurns.BYTES_PER_TURN / 4;
        }

        @Override
        public boolean isFilled() {
            return true;
        }

        @Override
        public void readOn() {
            does.run();
        }
    }

    @Test
    void whoThrowsWhenItIsItsTurnKeepsNobodyFromTheirs() throws Exception {
        CountDownLatch read = new CountDownLatch(2);
        loop.submit(() -> {
                    for (int i = 0; i < 3; i++) {
                        assertThat(turns.isOver(loop, new Turn(() -> {}))).isFalse();
                    }
                    assertThat(turns.isOver(loop, new Turn(read::countDown))).isTrue();
                    assertThat(turns.isOver(loop, new Turn(() -> {
                                throw new IllegalStateException("by the test");
                            })))
                            .isTrue();
                    assertThat(turns.isOver(loop, new Turn(read::countDown))).isTrue();
                })
                .sync();
        assertThat(read.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
