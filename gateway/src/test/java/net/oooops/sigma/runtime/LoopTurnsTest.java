package net.oooops.sigma.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopTurnsTest {
    private static final Duration MILLI = Duration.ofMillis(1);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private final ManualClock clock = ManualClock.startingAt(7);
    private final LoopTurns turns = new LoopTurns(loop, clock);
    /** What was done, with a bar where a turn of the event loop ended. */
    private final List<String> done = new ArrayList<>();

    /** Up to the last of these turns; written before {@link #over}. */
    private String doneBefore = "";

    private int turnsLeft = 20;
    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void end() {
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    /** Of 20 turns. */
    private String doneAfter(Runnable first) throws Exception {
        loop.execute(() -> {
            first.run();
            bar();
        });
        assertThat(over.await(10, TimeUnit.SECONDS)).isTrue();
        return doneBefore.replaceAll("\\|+$", "");
    }

    private void bar() {
        loop.executeAfterEventLoopIteration(() -> {
            done.add("|");
            turnsLeft--;
            if (turnsLeft == 0) {
                // Some go on.
                doneBefore = String.join("", done);
                over.countDown();
            } else {
                loop.execute(this::bar);
            }
        });
    }

    private Runnable work(String name, Duration takes) {
        return () -> {
            done.add(name);
            clock.advance(takes);
        };
    }

    private void later(boolean isBrief, String names, Duration each) {
        names.chars().forEach(name -> turns.later(isBrief, work(Character.toString(name), each)));
    }

    @Test
    void soMuchInATurnAndNoMore() throws Exception {
        assertThat(doneAfter(() -> later(false, "abcdefghij", MILLI))).isEqualTo("|ab|cd|ef|gh|ij");
    }

    @Test
    void whatIsLongHasATurnOfItsOwn() throws Exception {
        assertThat(doneAfter(() -> later(false, "abc", Duration.ofSeconds(1)))).isEqualTo("|a|b|c");
    }

    /** And one of the others first, so that they come to an end. */
    @Test
    void whatIsBriefGoesBefore() throws Exception {
        assertThat(doneAfter(() -> {
                    later(false, "abcdef", MILLI);
                    later(true, "123456", MILLI);
                }))
                .isEqualTo("|a1|b2|c3|d4|e5|f6");
    }

    @Test
    void whatIsBriefHasATurnBesideWhatIsLong() throws Exception {
        assertThat(doneAfter(() -> {
                    later(false, "abc", Duration.ofSeconds(1));
                    later(true, "12", MILLI);
                }))
                .isEqualTo("|a1|b2|c");
    }

    /** What goes on and on takes turns with others, and not all of one turn. */
    @Test
    void oneThatGoesOnDoesSoInALaterTurn() throws Exception {
        Runnable[] again = new Runnable[1];
        again[0] = () -> {
            done.add("a");
            turns.later(false, again[0]);
        };
        String all = doneAfter(() -> {
            turns.later(false, again[0]);
            turns.later(false, work("b", MILLI));
        });
        assertThat(all).startsWith("|ab|a|a|a|a|a|");
    }

    @Test
    void whatWasDoneAtOnceCounts() throws Exception {
        boolean[] had = new boolean[5];
        String all = doneAfter(() -> {
            had[0] = turns.hasTime(false);
            long began = turns.nanos();
            clock.advance(MILLI);
            assertThat(turns.took(began)).isEqualTo(MILLI.toNanos());
            had[1] = turns.hasTime(false);
            clock.advance(MILLI);
            turns.took(began + MILLI.toNanos());
            had[2] = turns.hasTime(true);
            turns.later(false, () -> {
                done.add("a");
                had[3] = turns.hasTime(false);
            });
            turns.later(false, work("b", MILLI));
            turns.later(false, () -> had[4] = turns.hasTime(false));
        });
        assertThat(all).isEqualTo("|ab");
        assertThat(had).containsExactly(true, true, false, false, true);
    }

    /** Who waits comes first, unless what comes now is brief and those aren't. */
    @Test
    void whoWaitsComesFirst() throws Exception {
        boolean[] had = new boolean[4];
        doneAfter(() -> {
            turns.later(false, () -> {});
            had[0] = turns.hasTime(false);
            had[1] = turns.hasTime(true);
            turns.later(true, () -> {});
            had[2] = turns.hasTime(true);
            had[3] = turns.hasTime(false);
        });
        assertThat(had).containsExactly(false, true, false, false);
    }

    @Test
    void oneThatFailsTakesNoneOfTheOthersWithIt() throws Exception {
        assertThat(doneAfter(() -> {
                    turns.later(false, () -> {
                        throw new IllegalStateException("on purpose");
                    });
                    later(false, "ab", MILLI);
                }))
                .isEqualTo("||ab");
    }
}
