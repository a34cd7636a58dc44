package net.oooops.sigma.plugins.authentication.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How keys are fetched while plugins take each other's place. */
class FetchingTest {
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final TestContext context = new TestContext();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final List<CompletableFuture<Asking.Answer>> asked = new CopyOnWriteArrayList<>();
    private final List<String> byFirst = new CopyOnWriteArrayList<>();
    private final List<String> bySecond = new CopyOnWriteArrayList<>();
    private final AtomicInteger unmade = new AtomicInteger();
    private final AtomicInteger failing = new AtomicInteger();

    private final RemoteKeys first = keys(Duration.ofHours(1), byFirst);
    private final RemoteKeys second = keys(Duration.ofHours(1), bySecond);

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private RemoteKeys keys(Duration lifetime, List<String> taken) {
        return keys(wanted(lifetime, PAUSE), taken);
    }

    private static RemoteKeys.Wanted wanted(Duration lifetime, Duration pause) {
        return new RemoteKeys.Wanted(
                URI.create("https://id.example/keys"), null, lifetime, pause, Duration.ofSeconds(30));
    }

    private RemoteKeys keys(RemoteKeys.Wanted wanted, List<String> taken) {
        Fetching fetching = new Fetching(wanted, context.counter("failures", "x"), any -> new Script());
        return new RemoteKeys(fetching, text -> {
            if (text.startsWith("unfit")) {
                throw new UnfitException("keys");
            }
            taken.add(text);
        });
    }

    /** A client that is answered by hand. */
    private final class Script implements Asking {
        Script() throws IOException {
            if (unmade.getAndDecrement() > 0) {
                throw new IOException("for a test");
            }
            begun.incrementAndGet();
        }

        @Override
        public CompletableFuture<Asking.Answer> ask() {
            CompletableFuture<Asking.Answer> next = new CompletableFuture<>();
            asked.add(next);
            if (failing.getAndDecrement() > 0) {
                throw new StackOverflowError("for a test");
            }
            return next;
        }

        @Override
        public void close() {
            ended.incrementAndGet();
        }
    }

    private void answer(int index, String text) {
        Await.until("it is asked", () -> asked.size() > index);
        asked.get(index).complete(new Asking.Answer(200, text));
    }

    private static boolean end(CompletableFuture<Boolean> fetch) throws Exception {
        return fetch.get(10, TimeUnit.SECONDS);
    }

    private static CompletableFuture<Boolean> fetch(RemoteKeys keys) {
        Await.until("the pause is over", () -> keys.fetch() != null);
        return Objects.requireNonNull(keys.fetch());
    }

    @Test
    void aClientThatThrowsFailsOneFetchAlone() throws Exception {
        failing.set(2);
        first.start();
        Await.until("it is asked again", () -> asked.size() >= 3);
        assertThat(context.count("failures")).isEqualTo(2);
        CompletableFuture<Boolean> third = fetch(first);
        answer(2, "a");
        assertThat(end(third)).isTrue();
        assertThat(byFirst).containsExactly("a");
    }

    /** Such as for want of file descriptors. */
    @Test
    void aStartThatFailsCanBeTriedAgain() throws Exception {
        unmade.set(1);
        assertThatThrownBy(first::start).hasMessage("for a test");
        first.start();
        assertThat(begun).hasValue(1);
        CompletableFuture<Boolean> fetch = fetch(first);
        answer(0, "a");
        assertThat(end(fetch)).isTrue();
        assertThat(byFirst).containsExactly("a");
    }

    @Test
    void whatIsBeingFetchedAtAReloadIsForBoth() throws Exception {
        first.start();
        CompletableFuture<Boolean> before = fetch(first);
        second.takeOver(first);
        second.start();
        CompletableFuture<Boolean> after = fetch(second);
        answer(0, "a");
        assertThat(end(before)).isTrue();
        assertThat(end(after)).isTrue();
        assertThat(byFirst).containsExactly("a");
        assertThat(bySecond).containsExactly("a");
        assertThat(begun).as("one thread, one client").hasValue(1);
        first.close();
        first.close();
        assertThat(ended).as("the other one goes on with it").hasValue(0);
        CompletableFuture<Boolean> next = fetch(second);
        answer(1, "b");
        assertThat(end(next)).isTrue();
        assertThat(bySecond).containsExactly("a", "b");
        assertThat(byFirst).as("is closed").containsExactly("a");
        second.close();
        assertThat(ended).hasValue(1);
        assertThat(second.fetch()).isNull();
    }

    @Test
    void whatWasFetchedIsThereBeforeTheStart() throws Exception {
        first.start();
        CompletableFuture<Boolean> fetch = fetch(first);
        answer(0, "a");
        assertThat(end(fetch)).isTrue();
        second.takeOver(first);
        assertThat(bySecond).containsExactly("a");
        second.start();
        assertThat(begun).hasValue(1);
    }

    /** A reload that fails closes what it has made, unstarted; the one before goes on. */
    @Test
    void aReloadThatFailsEndsNothing() throws Exception {
        first.start();
        second.takeOver(first);
        second.close();
        assertThat(ended).hasValue(0);
        CompletableFuture<Boolean> fetch = fetch(first);
        answer(0, "a");
        assertThat(end(fetch)).isTrue();
        assertThat(byFirst).containsExactly("a");
    }

    @Test
    void oneThatHasEndedIsNotGoneOnWith() throws Exception {
        first.start();
        CompletableFuture<Boolean> fetch = fetch(first);
        answer(0, "a");
        assertThat(end(fetch)).isTrue();
        first.close();
        second.takeOver(first);
        assertThat(bySecond).as("what it had is taken").containsExactly("a");
        second.start();
        assertThat(begun).hasValue(2);
        CompletableFuture<Boolean> next = fetch(second);
        answer(asked.size() - 1, "b");
        assertThat(end(next)).isTrue();
    }

    @Test
    void whoWantsSomethingElseFetchesByItself() throws Exception {
        RemoteKeys other = keys(Duration.ofHours(2), bySecond);
        try {
            first.start();
            other.takeOver(first);
            other.start();
            assertThat(begun).hasValue(2);
            first.close();
            assertThat(ended).hasValue(1);
            assertThat(fetch(other)).isNotDone();
        } finally {
            other.close();
        }
    }

    /** What came from whom the next one doesn't trust is none of its keys. */
    @Test
    void keysOfAnotherTrustAreNotTaken() throws Exception {
        RemoteKeys.Wanted pinned = new RemoteKeys.Wanted(
                URI.create("https://id.example/keys"),
                new Trust(List.of()),
                Duration.ofHours(1),
                PAUSE,
                Duration.ofSeconds(30));
        RemoteKeys other = keys(pinned, bySecond);
        RemoteKeys again = keys(pinned, bySecond);
        try {
            first.start();
            CompletableFuture<Boolean> fetch = fetch(first);
            answer(0, "a");
            assertThat(end(fetch)).isTrue();
            other.takeOver(first);
            assertThat(bySecond).isEmpty();
            other.start();
            CompletableFuture<Boolean> own = fetch(other);
            answer(asked.size() - 1, "b");
            assertThat(end(own)).isTrue();
            again.takeOver(other);
            assertThat(bySecond).as("the same trust").containsExactly("b", "b");
        } finally {
            other.close();
            again.close();
        }
    }

    @Test
    void closingLeavesNobodyWaiting() throws Exception {
        first.start();
        CompletableFuture<Boolean> fetch = fetch(first);
        first.close();
        assertThat(end(fetch)).isFalse();
        assertThat(first.fetch()).isNull();
        first.start();
        assertThat(begun).hasValue(1);
    }

    @Test
    void keysThatAreNoneForTheNextAreLeft() throws Exception {
        first.start();
        CompletableFuture<Boolean> fetch = fetch(first);
        answer(0, "a");
        assertThat(end(fetch)).isTrue();
        RemoteKeys picky = new RemoteKeys(
                new Fetching(
                        new RemoteKeys.Wanted(
                                URI.create("https://id.example/keys"),
                                null,
                                Duration.ofHours(1),
                                PAUSE,
                                Duration.ofSeconds(30)),
                        context.counter("failures", "x"),
                        any -> new Script()),
                text -> {
                    throw new UnfitException("other keys");
                });
        picky.takeOver(first);
        picky.start();
        CompletableFuture<Boolean> next = fetch(first);
        answer(1, "b");
        assertThat(end(next)).as("one of the two has them").isTrue();
        assertThat(byFirst).containsExactly("a", "b");
        picky.close();
    }

    /** It is as if there had never been any: one try that fails doesn't keep the keys away for the whole pause. */
    @Test
    void whatIsInheritedAndCannotBeUsedCountsAsNone() throws Exception {
        RemoteKeys.Wanted seldom = wanted(Duration.ofHours(1), Duration.ofMinutes(10));
        RemoteKeys before = lenient(seldom);
        RemoteKeys after = keys(seldom, bySecond);
        try {
            before.start();
            answer(0, "unfit for who comes next");
            Await.until("it is there", () -> before.leave().length > 0);
            after.inherit(before.leave());
            after.start();
            Await.until("it is asked at once", () -> asked.size() == 2);
            assertThat(after.leave()).isEmpty();
            asked.get(1).complete(new Asking.Answer(500, ""));
            answer(2, "a");
            Await.until("it has them", () -> bySecond.equals(List.of("a")));
        } finally {
            before.close();
            after.close();
        }
    }

    /** The same where one at a reload can't use what is there. */
    @Test
    void whatIsTakenOverAndCannotBeUsedIsFetchedAtOnce() throws Exception {
        RemoteKeys before = lenient(wanted(Duration.ofHours(1), PAUSE));
        try {
            before.start();
            answer(0, "unfit for who comes next");
            Await.until("it is there", () -> before.leave().length > 0);
            second.takeOver(before);
            second.start();
            answer(1, "b");
            Await.until("it has them", () -> bySecond.equals(List.of("b")));
        } finally {
            before.close();
        }
    }

    /** Takes whatever comes. */
    private RemoteKeys lenient(RemoteKeys.Wanted wanted) {
        return new RemoteKeys(
                new Fetching(wanted, context.counter("failures", "x"), any -> new Script()), byFirst::add);
    }
}
