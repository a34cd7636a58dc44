package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.container;
import static org.junit.platform.testkit.engine.EventConditions.engine;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

@ExtendWith(LeakGate.class)
class LeakGateTest {
    private static final List<ByteBufAllocator> ALLOCATORS =
            List.of(new AdaptiveByteBufAllocator(), PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT);

    @Test
    void passesWhereAllIsReleased() {
        Events containers = run(Clean.class, false);

        assertThat(containers.succeeded().count()).isEqualTo(2);
        assertThat(containers.failed().count()).isZero();
    }

    @Test
    void failsAClassThatLeaks() {
        run(Leaking.class, false)
                .assertThatEvents()
                .haveExactly(1, event(container(Leaking.class), finishedWithLeak()));
    }

    @Test
    void isFoundWithoutAnAnnotation() {
        run(LeakingUnasked.class, true)
                .assertThatEvents()
                .haveExactly(1, event(container(LeakingUnasked.class), finishedWithLeak()));
    }

    @Test
    void failsTheRunForWhatTurnsUpAtItsEnd() {
        run(LeakingLate.class, false).assertThatEvents().haveExactly(1, event(engine(), finishedWithLeak()));
    }

    @Test
    void reportsEachLeakOnceWhateverTheAllocator() {
        for (ByteBufAllocator allocator : ALLOCATORS) {
            leak(allocator);

            assertThatThrownBy(LeakGate::verifyNoLeaks)
                    .as(allocator.toString())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("leaks: 1 (expected: 0)")
                    .hasMessageContaining(LeakGateTest.class.getName() + ".leak");
            LeakGate.verifyNoLeaks();
        }
    }

    private static Events run(Class<?> testClass, boolean detection) {
        var results = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", String.valueOf(detection))
                .execute();
        assertThat(results.testEvents().succeeded().count()).isEqualTo(1);
        return results.containerEvents();
    }

    private static Condition<Event> finishedWithLeak() {
        return finishedWithFailure(
                message(text -> text.startsWith("leaks: 1 (expected: 0)") && text.contains("touched here")));
    }

    private static void leak(ByteBufAllocator allocator) {
        ByteBuf leaked = allocator.directBuffer(16);
        leaked.touch("touched here").writeByte(1);
    }

    @ExtendWith(LeakGate.class)
    static class Clean {
        @Test
        void releases() {
            ALLOCATORS.forEach(allocator ->
                    assertThat(allocator.directBuffer(16).release()).isTrue());
        }
    }

    @ExtendWith(LeakGate.class)
    static class Leaking {
        @Test
        void leaks() {
            leak(ByteBufAllocator.DEFAULT);
        }
    }

    static class LeakingUnasked {
        @Test
        void leaks() {
            leak(ByteBufAllocator.DEFAULT);
        }
    }

    /** Extensions end in reverse order, so this one leaks after the gate has looked at the class. */
    @ExtendWith({LateLeak.class, LeakGate.class})
    static class LeakingLate {
        @Test
        void passes() {}
    }

    static final class LateLeak implements AfterAllCallback {
        @Override
        public void afterAll(ExtensionContext context) {
            leak(ByteBufAllocator.DEFAULT);
        }
    }
}
