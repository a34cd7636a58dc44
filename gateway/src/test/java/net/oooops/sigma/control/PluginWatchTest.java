package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.runtime.PluginCalls;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log")
class PluginWatchTest {
    private static final long LOOK = PluginWatch.LOOK_NANOS;
    private static final StackTraceElement[] STACK = {
        new StackTraceElement("java.lang.Thread", "sleep0", "Thread.java", -2),
        new StackTraceElement("com.example.Lookup", "ask", "Lookup.java", 12),
        new StackTraceElement("com.example.Guard", "onRequest", "Guard.java", 30)
    };

    private final LoggedLines log = new LoggedLines(PluginWatch.class);
    private final PluginCalls one = new PluginCalls();
    private final PluginCalls other = new PluginCalls();
    private final WorkerCounters counters = new WorkerCounters(Refusals.NAMES);
    private final PluginWatch watch = new PluginWatch(
            List.of(new PluginWatch.Loop(0, one, () -> STACK), new PluginWatch.Loop(1, other, () -> STACK)),
            counters,
            0);
    private final Chain chain =
            Chain.of(List.of(new Chain.Link("first", plugin()), new Chain.Link("second", plugin())));
    private long nowNanos;

    private static Plugin plugin() {
        return new Plugin() {
            @Override
            public Needs needs() {
                return Needs.REQUEST;
            }
        };
    }

    @AfterEach
    void stop() {
        log.close();
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            nowNanos += LOOK;
            watch.look(nowNanos);
        }
    }

    private long stalls() {
        return new CountersView(List.of(counters)).snapshot().count(Counter.PLUGIN_STALLS);
    }

    @Test
    void aCallThatIsSeenFor100MillisecondsIsToldOnce() {
        other.begin(chain, 1);
        look(2);
        assertThat(stalls()).isZero();
        look(1);
        assertThat(stalls()).isEqualTo(1);
        look(20);
        assertThat(stalls()).isEqualTo(1);
        assertThat(log.lines())
                .containsExactly(
                        "WARN plugin second keeps event loop 1 for more than 100 ms, and everyone on it waits (expected:"
                                + " Needs.withBlocking() where it waits); it is at com.example.Lookup.ask(Lookup.java:12)");
    }

    @Test
    void shortCallsAreNotToldHoweverMany() {
        for (int i = 0; i < 100; i++) {
            one.begin(chain, 0);
            look(2);
            one.end();
        }
        look(10);
        assertThat(stalls()).isZero();
    }

    @Test
    void eachPluginIsNamedAndEachCallCounted() {
        for (int i = 0; i < 3; i++) {
            one.begin(chain, 0);
            other.begin(chain, 1);
            look(3);
            one.end();
            other.end();
        }
        assertThat(stalls()).isEqualTo(6);
        assertThat(log.lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("WARN plugin first keeps event loop 0 "))
                .anyMatch(line -> line.startsWith("WARN plugin second keeps event loop 1 "));
    }

    @Test
    void whoLooksLateDoesNotBlameAPlugin() {
        one.begin(chain, 0);
        look(2);
        nowNanos += 10 * LOOK;
        look(2);
        assertThat(stalls()).isZero();
        look(1);
        assertThat(stalls()).isEqualTo(1);
    }

    @Test
    void aCallThatReturnsMeanwhileIsNotNamed() {
        one.begin(chain, 0);
        int call = one.current();
        assertThat(one.plugin(call)).isEqualTo("first");
        one.end();
        assertThat(one.current()).isZero();
        assertThat(one.plugin(call)).isNull();
        one.begin(chain, 1);
        assertThat(one.plugin(call)).isNull();
    }

    /** Plugins may go with a configuration, and come again with a later one. */
    @Test
    void itSleepsWhileThereAreNoPlugins() {
        try (PluginWatch sleeping = new PluginWatch(
                        List.of(new PluginWatch.Loop(0, one, () -> STACK)), counters, System.nanoTime())
                .start()) {
            for (int i = 0; i < 1000; i++) {
                sleeping.follow(i % 2 == 0);
            }
            Await.until("asleep", () -> thread().getState() == Thread.State.WAITING);
            one.begin(chain, 0);
            sleeping.follow(true);
            Await.until("noticed", () -> log.lines().size() == 1);
        }
        Await.until("ended", () -> threads().isEmpty());
    }

    private static Thread thread() {
        assertThat(threads()).hasSize(1);
        return threads().getFirst();
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("sigma-plugin-watch"))
                .toList();
    }
}
