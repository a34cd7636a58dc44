package net.oooops.sigma.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.ChangedRecord;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.upstream.NodeRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which flows there are while configurations follow each other, and until when each configuration is followed. */
class FlowsTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);

    private final DefaultEventLoop eventLoop = new DefaultEventLoop();
    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);
    /** Numbers of those that nothing follows any more. */
    private final List<Integer> over = new ArrayList<>();

    private int generations = 1;
    private long drainNanos = NOW;
    private final LoopContext loop =
            LoopParts.context(LoopParts.of(eventLoop, new NodeRegistry(), counters, generation(1)));
    private final List<Plain> made = new ArrayList<>();
    private final Flows<Plain, Plan> flows = new Flows<>(loop, this::make, Plan::listener);

    @AfterEach
    void end() {
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private Generation generation(int number) {
        return new Generation(number, 1, () -> over.add(number));
    }

    /** @param made whether a flow can be made of it */
    private record Plan(Listener listener, boolean made) {}

    private Plan at(int port) {
        return new Plan(listener(port), true);
    }

    private Listener listener(int port) {
        Timeouts timeouts = ChangedRecord.with(Timeouts.DEFAULT, "drainNanos", drainNanos);
        return new UdpListenerConfig("s" + port, "", "127.0.0.1", port, "p", List.of(), 1, NOW, timeouts);
    }

    private Plain make(Plan plan) {
        if (!plan.made) {
            throw new IllegalStateException("can't be made");
        }
        Plain flow = new Plain(plan.listener);
        made.add(flow);
        return flow;
    }

    private static final class Plain implements ListenerFlow<Plan> {
        private final Listener listener;
        private boolean broken;
        private int clients;
        private boolean closed;

        private Plain(Listener listener) {
            this.listener = listener;
        }

        @Override
        public Listener listener() {
            return listener;
        }

        @Override
        public boolean canFollow(Plan plan) {
            return true;
        }

        @Override
        public void follow(Plan plan) {
            fail();
        }

        private void fail() {
            if (broken) {
                throw new IllegalStateException("broken");
            }
        }

        @Override
        public void drain() {
            fail();
        }

        @Override
        public void resume() {}

        @Override
        public void cut() {
            fail();
        }

        @Override
        public int connectionCount() {
            return clients;
        }

        @Override
        public void close() {
            closed = true;
            fail();
        }
    }

    private void follow(Plan... plans) {
        loop.follow(generation(++generations));
        flows.follow(List.of(plans));
    }

    private long faults() {
        return new CountersView(List.of(counters)).snapshot().faults(Fault.INTERNAL);
    }

    @Test
    void oneThatIsGoneStaysUntilNobodyCanConnectToIt() {
        flows.follow(List.of(at(1), at(2)));
        follow(at(2));
        Plain gone = made.getFirst();
        flows.tick();
        assertThat(flows.all()).contains(gone);
        assertThat(over).isEmpty();
        gone.clients = 1;
        flows.unreachable();
        flows.tick();
        assertThat(over).isEmpty();
        gone.clients = 0;
        flows.tick();
        assertThat(flows.all()).doesNotContain(gone);
        assertThat(gone.closed).isTrue();
        assertThat(over).containsExactly(1);
    }

    @Test
    void oneThatIsBackCanBeConnectedToUntilItIsGoneAgain() {
        flows.follow(List.of(at(1), at(2)));
        made.getFirst().clients = 1;
        follow(at(2));
        flows.unreachable();
        follow(at(1), at(2));
        flows.unreachable();
        made.getFirst().clients = 0;
        follow(at(2));
        flows.tick();
        assertThat(flows.all()).contains(made.getFirst());
    }

    @Test
    void oneThatCantFollowLeavesAndAnotherTakesItsPlace() {
        flows.follow(List.of(at(1), at(2)));
        Plain broken = made.getFirst();
        broken.broken = true;
        broken.clients = 1;
        follow(at(1), at(2), at(3));
        assertThat(faults()).as("as it followed, and as it drained").isEqualTo(2);
        assertThat(flows.present()).extracting(flow -> flow.listener().port()).containsExactly(1, 2, 3);
        assertThat(flows.present()).doesNotContain(broken);
        flows.unreachable();
        flows.tick();
        assertThat(over).as("it has a client").isEmpty();
        broken.clients = 0;
        flows.tick();
        assertThat(over).containsExactly(1);
        assertThat(flows.all()).doesNotContain(broken);
        follow();
        flows.unreachable();
        flows.tick();
        assertThat(over).containsExactly(1, 2);
    }

    @Test
    void oneThatIsBackAndCantFollowLeavesOnceMore() {
        flows.follow(List.of(at(1)));
        Plain broken = made.getFirst();
        broken.broken = true;
        broken.clients = 1;
        follow();
        follow(at(1));
        assertThat(flows.all()).contains(broken);
        flows.unreachable();
        broken.clients = 0;
        flows.tick();
        assertThat(over).containsExactly(2, 1);
    }

    @Test
    void oneThatCantBeMadeKeepsNoOtherFromFollowing() {
        flows.follow(List.of(at(1)));
        follow(new Plan(listener(3), false), at(1), at(2));
        assertThat(flows.present()).extracting(flow -> flow.listener().port()).containsExactly(1, 2);
        assertThat(over).containsExactly(1);
        assertThat(faults()).isEqualTo(1);
    }

    /** Of its client, say: those that are gone beside it end all the same. */
    @Test
    void oneThatCantBeCutKeepsNoOtherFromEnding() {
        drainNanos = -1;
        flows.follow(List.of(at(1), at(2)));
        Plain broken = made.getFirst();
        broken.broken = true;
        follow();
        flows.unreachable();
        flows.tick();
        assertThat(faults()).as("as it drained, was cut, and closed").isEqualTo(3);
        assertThat(made).allMatch(flow -> flow.closed);
        assertThat(over).containsExactly(1);
    }
}
