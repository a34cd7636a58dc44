package net.oooops.sigma.ask;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What is said of files that don't answer, and who is held up by them. */
@Timeout(30)
@Isolated("the log")
class StuckAnswersTest {
    private final FileAnswers answers = new FileAnswers(Duration.ofMillis(FileAnswersTest.LIMIT_MILLIS), 2);

    /** As one that waits in the kernel, which no interruption ends. */
    @Test
    void whatDoesNotAnswerIsSaidAndHoldsNoMoreThanSoManyThreads() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        try (LoggedLines log = new LoggedLines(FileAnswers.class)) {
            for (Path each : List.of(Path.of("/mnt/other/a.json"), FileAnswersTest.STUCK)) {
                assertThatThrownBy(() -> answers.answer(each, reading -> FileAnswersTest.held(answered)))
                        .isInstanceOf(FileAnswers.Unanswered.class)
                        .hasMessage(each + ": hasn't answered within 1 s");
            }
            assertThat(log.lines())
                    .last()
                    .isEqualTo("WARN /mnt/stuck/a.json: hasn't answered within 1 s;"
                            + " 2 of 2 threads for files are held by such");
        }
        long before = System.nanoTime();
        assertThatThrownBy(() -> answers.answer(Path.of("/etc/a.json"), reading -> FileAnswersTest.held(answered)))
                .isInstanceOf(FileAnswers.Unanswered.class)
                .hasMessage("/etc/a.json: isn't asked, as 2 files haven't answered yet");
        assertThat(System.nanoTime() - before).isLessThan(TimeUnit.MILLISECONDS.toNanos(FileAnswersTest.LIMIT_MILLIS));

        answered.countDown();
        FileAnswersTest.awaitAnswer(answers, FileAnswersTest.STUCK);
    }

    /** One that hangs in the kernel: to interrupt a thread that reads such a channel waits until it has left. */
    @Test
    void aReadThatNoInterruptionEndsHoldsNobodyElse() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        try (LoggedLines log = new LoggedLines(FileAnswers.class)) {
            assertThatThrownBy(
                            () -> answers.answer(FileAnswersTest.STUCK, reading -> new StuckChannel(answered).read()))
                    .isInstanceOf(FileAnswers.Unanswered.class)
                    .hasMessage("/mnt/stuck/a.json: hasn't answered within 1 s");
            assertThat(log.lines()).hasSize(1);
        }
        answered.countDown();
        FileAnswersTest.awaitAnswer(answers, FileAnswersTest.STUCK);
    }

    private static final class StuckChannel extends AbstractInterruptibleChannel {
        private final CountDownLatch until;

        StuckChannel(CountDownLatch until) {
            this.until = until;
        }

        boolean read() throws IOException {
            try {
                begin();
                return FileAnswersTest.held(until);
            } finally {
                end(true);
            }
        }

        @Override
        protected void implCloseChannel() {
            FileAnswersTest.held(until);
        }
    }
}
