package net.oooops.sigma.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What ends with a Snapshot, whatever its parts throw. */
class HeldTest {
    /** Closes badly. */
    private record Bad(List<Plugin> closed, Throwable thrown) implements Plugin {
        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }

        @Override
        public void close() {
            closed.add(this);
            HeldTest.<RuntimeException>sneak(thrown);
        }
    }

    /** Throws it, declared or not, as code in another language may. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the cast is the trick
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    static List<Throwable> thrown() {
        return List.of(
                new IllegalStateException("bad"),
                new NoClassDefFoundError("bad"),
                new AssertionError("bad"),
                new StackOverflowError("bad"),
                new InterruptedException("bad"));
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void onePartThatFailsKeepsNoOtherOpen(Throwable thrown) {
        List<Plugin> closed = new ArrayList<>();
        List<Shared<Plugin>> plugins =
                List.of(new Shared<>(new Bad(closed, thrown)), new Shared<>(new Bad(closed, thrown)));

        assertThat(new Held(List.of(), plugins, List.of()).end()).isEmpty();

        assertThat(closed).hasSize(2);
    }
}
