package net.oooops.sigma.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.Place;
import net.oooops.sigma.config.PluginConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which plugin stands where, of thousands. */
class PluginPlacesTest {
    private static final Object BY = "a factory";

    private static final int COUNT = 2000;

    private final AtomicInteger comparisons = new AtomicInteger();

    /** Settings that count how often they are compared. */
    private final class Numbered {
        private final int number;

        private Numbered(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            comparisons.incrementAndGet();
            return other instanceof Numbered that && number == that.number;
        }

        @Override
        public int hashCode() {
            return Integer.hashCode(number);
        }
    }

    private static PluginPlaces.Spot spot(int number) {
        return new PluginPlaces.Spot("route r " + number, "p", 0);
    }

    private PluginConfig config(int number) {
        return new PluginConfig("p", new Numbered(number), new Place(1, 1, "/" + number));
    }

    @Test
    void oneIsFoundWithoutComparingItWithAllOthers() {
        PluginPlaces places = new PluginPlaces(null);
        Plugin[] made = new Plugin[COUNT];
        for (int i = 0; i < COUNT; i++) {
            made[i] = () -> Needs.REQUEST;
            places.made(spot(i), config(i), BY, made[i]);
        }
        for (int i = 0; i < COUNT; i++) {
            assertThat(places.find("p", new Numbered(i), BY)).isSameAs(made[i]);
        }
        assertThat(comparisons.get()).isLessThanOrEqualTo(2 * COUNT);
        assertThat(places.find("q", new Numbered(1), BY)).isNull();
        assertThat(places.find("p", null, BY)).isNull();
    }

    @Test
    void oneThatIsKeptIsFoundToo() {
        PluginPlaces before = new PluginPlaces(null);
        Plugin made = () -> Needs.REQUEST;
        before.made(spot(1), config(1), BY, made);
        PluginPlaces after = new PluginPlaces(before);
        assertThat(after.find("p", new Numbered(1), BY)).isNull();
        assertThat(after.kept(spot(1), config(1), BY)).isSameAs(made);
        assertThat(after.find("p", new Numbered(1), BY)).isSameAs(made);
    }

    @Test
    void whatAnotherFactoryMadeIsAnotherOne() {
        PluginPlaces before = new PluginPlaces(null);
        Plugin made = () -> Needs.REQUEST;
        before.made(spot(1), config(1), BY, made);
        PluginPlaces after = new PluginPlaces(before);
        assertThat(before.find("p", new Numbered(1), "another")).isNull();
        assertThat(after.kept(spot(1), config(1), "another")).isNull();
        assertThat(after.all()).isEmpty();
    }

    /** A class of another jar's can't take over from it. */
    @Test
    void onlyWhatTheSameFactoryMadeIsTakenOver() throws Exception {
        List<Plugin> taken = new ArrayList<>();
        PluginPlaces before = new PluginPlaces(null);
        Plugin made = () -> Needs.REQUEST;
        before.made(spot(1), config(1), BY, made);
        before.made(spot(2), config(2), BY, made);
        PluginPlaces after = new PluginPlaces(before);
        after.made(spot(1), config(3), BY, taking(taken));
        after.made(spot(2), config(2), "another", taking(taken));
        after.start();
        assertThat(taken).containsExactly(made);
    }

    @Test
    void whatIsLeftIsForTheOneAtTheSamePlaceInAnotherProcess() throws Exception {
        PluginPlaces before = new PluginPlaces(null);
        before.made(spot(1), config(1), BY, new Leaving("a"));
        before.made(spot(2), config(2), BY, new Leaving("a"));
        before.made(spot(3), config(3), BY, new Leaving(""));
        before.made(spot(4), config(4), BY, new Leaving(null));
        before.made(spot(5), config(5), BY, new Leaving("b".repeat(Plugin.LEFT_BYTES_MAX + 1)));
        before.made(spot(6), config(6), BY, new Leaving("c"));
        List<Left> left = before.left();
        assertThat(left).extracting(Left::owner).containsExactly("route r 1", "route r 2", "route r 6");
        assertThat(left.get(0).bytes()).isSameAs(left.get(1).bytes());
        PluginPlaces after = new PluginPlaces(null);
        Leaving first = new Leaving(null);
        Leaving failing = new Leaving("fails");
        Leaving last = new Leaving(null);
        after.made(spot(1), config(7), "another", first);
        after.made(spot(2), config(2), BY, failing);
        after.made(spot(6), config(6), BY, last);
        after.inherit(left);
        after.start();
        assertThat(first.inherited).isEqualTo("a");
        assertThat(failing.inherited).isEmpty();
        assertThat(last.inherited).isEqualTo("c");
    }

    private static final class Leaving implements Plugin {
        private final @Nullable String text;
        private String inherited = "";

        private Leaving(@Nullable String text) {
            this.text = text;
        }

        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }

        @Override
        public byte[] leave() {
            if (text == null) {
                throw new IllegalStateException("a test");
            }
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void inherit(byte[] left) {
            if ("fails".equals(text)) {
                throw new IllegalStateException("a test");
            }
            inherited = new String(left, StandardCharsets.UTF_8);
        }
    }

    private static Plugin taking(List<Plugin> taken) {
        return new Plugin() {
            @Override
            public Needs needs() {
                return Needs.REQUEST;
            }

            @Override
            public void takeOver(Plugin before) {
                taken.add(before);
            }
        };
    }
}
