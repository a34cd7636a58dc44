package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.upstream.Line.Link;
import org.junit.jupiter.api.Test;

class LineTest {
    private final Line<String> line = new Line<>();
    private final Line<String> other = new Line<>();
    private final Link<String> a = new Link<>("a");
    private final Link<String> b = new Link<>("b");
    private final Link<String> c = new Link<>("c");

    @Test
    void whoCameFirstLeavesFirst() {
        line.add(a);
        line.add(b);
        line.add(c);
        assertThat(line.size()).isEqualTo(3);
        assertThat(line.first()).isEqualTo("a");
        assertThat(a.after()).isEqualTo("b");
        assertThat(c.after()).isNull();
        assertThat(line.poll()).isEqualTo("a");
        assertThat(a.isInLine()).isFalse();
        assertThat(a.after()).isNull();
        line.add(a);
        assertThat(List.of(String.valueOf(line.poll()), String.valueOf(line.poll()), String.valueOf(line.poll())))
                .containsExactly("b", "c", "a");
        assertThat(line.isEmpty()).isTrue();
        assertThat(line.first()).isNull();
        assertThat(line.poll()).isNull();
    }

    @Test
    void nobodyIsTakenOutOfALineThatHeIsNotIn() {
        line.add(a);
        line.add(b);
        assertThat(other.remove(a)).isFalse();
        assertThat(other.has(a)).isFalse();
        assertThat(line.has(a)).isTrue();
        assertThat(line.remove(c)).isFalse();
        assertThat(line.remove(a)).isTrue();
        // It was in this one last, and is in none.
        assertThat(line.remove(a)).isFalse();
        assertThat(line.has(a)).isFalse();
        assertThat(line.size()).isEqualTo(1);
        other.add(a);
        assertThat(line.remove(a)).isFalse();
        assertThat(other.first()).isEqualTo("a");
    }

    @Test
    void nobodyIsInTwoLinesByOneLink() {
        line.add(a);
        assertThatThrownBy(() -> line.add(a)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> other.add(a))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("in line already: a");
        assertThat(line.size()).isEqualTo(1);
        assertThat(other.isEmpty()).isTrue();
    }

    /** Random calls in random order. */
    @Test
    void doesWhatAListDoes() {
        Random random = new Random(1);
        Line<Integer> tried = new Line<>();
        List<Link<Integer>> links = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            links.add(new Link<>(i));
        }
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            Integer who = random.nextInt(links.size());
            Link<Integer> link = links.get(who);
            if (random.nextInt(8) == 0) {
                assertThat(tried.poll()).isEqualTo(expected.isEmpty() ? null : expected.removeFirst());
            } else if (expected.contains(who)) {
                assertThat(tried.remove(link)).isTrue();
                expected.remove(who);
            } else {
                assertThat(tried.remove(link)).isFalse();
                tried.add(link);
                expected.add(who);
            }
            assertThat(all(tried, links)).isEqualTo(expected);
            assertThat(tried.size()).isEqualTo(expected.size());
        }
    }

    private static List<Integer> all(Line<Integer> line, List<Link<Integer>> links) {
        List<Integer> all = new ArrayList<>();
        for (Integer next = line.first(); next != null; next = links.get(next).after()) {
            all.add(next);
        }
        return all;
    }
}
