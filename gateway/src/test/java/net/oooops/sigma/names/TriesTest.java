package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TriesTest {
    private final EventLoop loop = new EmbeddedChannel().eventLoop();
    private final Promise<List<String>> answer = loop.newPromise();

    private int toldCount;
    private int overCount;

    private final Tries<String> tries = new Tries<>(loop, TimeUnit.HOURS.toNanos(1)) {
        @Override
        Future<List<String>> ask(int number) {
            return answer;
        }

        @Override
        boolean isAnsweredInPart() {
            return false;
        }

        @Override
        void onEnd(@Nullable Throwable failure) {}

        @Override
        void decide(int number, Future<List<String>> done) {
            toldCount++;
            throw new IllegalStateException("of who is told");
        }

        @Override
        void drop(Future<List<String>> late) {}

        @Override
        void onOver() {
            overCount++;
        }
    };

    /** Else its name would be taken for one that is being asked for, for ever. */
    @Test
    void aQuestionIsOverWhateverWhoIsToldThrows() {
        tries.begin();
        assertThat(overCount).isZero();
        answer.setSuccess(List.of("127.0.0.1"));
        assertThat(toldCount).isOne();
        assertThat(overCount).isOne();
    }

    @Test
    void soIsOneWithoutAnAnswer() {
        tries.begin();
        answer.setFailure(new IllegalStateException("no answer"));
        assertThat(toldCount).isOne();
        assertThat(overCount).isOne();
    }
}
