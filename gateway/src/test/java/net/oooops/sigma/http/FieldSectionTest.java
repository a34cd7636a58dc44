package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http1.Reading;
import net.oooops.sigma.http1.WholeHead;
import org.junit.jupiter.api.Test;

/** Fields and their edits, against a list of names and values. */
class FieldSectionTest {
    private static final String[] NAMES = {
        "Host", "X-A", "x-a", "X-B", "Cookie", "VIA", "Connection", "Keep-Alive", "X-AB"
    };
    private static final Set<String> STAY_BEHIND = Set.of("connection", "keep-alive");

    private record Line(String name, String value) {
        boolean named(String other) {
            return name.equalsIgnoreCase(other);
        }
    }

    /** Random fields, random edits: the section says and writes what the list does. */
    @Test
    void editsAreThoseOfAList() {
        Random random = new Random(4);
        HttpRequestHead head = new HttpRequestHead();
        for (int round = 0; round < 3000; round++) {
            head.clear();
            List<Line> received = received(random);
            assertThat(WholeHead.readRequest(text(received).getBytes(ISO_8859_1), head, Limits.DEFAULT))
                    .isNull();
            List<Line> kept = new ArrayList<>(received);
            List<Line> added = new ArrayList<>();
            for (int edits = random.nextInt(8); edits > 0; edits--) {
                edit(random, head, kept, added);
            }
            List<Line> all = new ArrayList<>(kept);
            all.addAll(added);
            for (String name : NAMES) {
                List<String> values = all.stream()
                        .filter(line -> line.named(name))
                        .map(Line::value)
                        .toList();
                FieldName field = FieldName.of(name);
                assertThat(head.values(field)).isEqualTo(values);
                assertThat(head.value(field)).isEqualTo(values.isEmpty() ? null : values.getFirst());
                assertThat(head.has(field)).isEqualTo(!values.isEmpty());
            }
            Map<String, String> names = new LinkedHashMap<>();
            all.forEach(line -> names.putIfAbsent(line.name().toLowerCase(Locale.ROOT), line.name()));
            assertThat(head.names()).containsExactlyElementsOf(names.values());
            kept.removeIf(line -> STAY_BEHIND.contains(line.name().toLowerCase(Locale.ROOT)));
            kept.addAll(added);
            assertThat(Reading.written(head)).isEqualTo(text(kept));
        }
    }

    private static List<Line> received(Random random) {
        List<Line> lines = new ArrayList<>();
        int host = random.nextInt(4);
        for (int i = 0; i < 4 + random.nextInt(40); i++) {
            String name = i == host ? NAMES[0] : NAMES[1 + random.nextInt(NAMES.length - 1)];
            String value = name.equals("Connection") ? "keep-alive" : i == host ? "a" : "v" + random.nextInt(5);
            lines.add(new Line(name, value));
        }
        return lines;
    }

    private static void edit(Random random, HttpRequestHead head, List<Line> kept, List<Line> added) {
        String name = NAMES[1 + random.nextInt(5)];
        Line line = new Line(name, "e" + random.nextInt(100));
        Field field = Field.of(name, line.value());
        switch (random.nextInt(3)) {
            case 0 -> {
                head.set(field);
                kept.removeIf(other -> other.named(name));
                added.removeIf(other -> other.named(name));
                added.add(line);
            }
            case 1 -> {
                head.add(field);
                added.add(line);
            }
            default -> {
                head.remove(FieldName.of(name));
                kept.removeIf(other -> other.named(name));
                added.removeIf(other -> other.named(name));
            }
        }
    }

    private static String text(List<Line> lines) {
        StringBuilder text = new StringBuilder("GET / HTTP/1.1\r\n");
        lines.forEach(line ->
                text.append(line.name()).append(": ").append(line.value()).append("\r\n"));
        return text.append("\r\n").toString();
    }

    @Test
    void fieldsOfTheConnectionCanNotBeTakenOut() {
        HttpRequestHead head = new HttpRequestHead();
        for (String name : new String[] {"Host", "content-length", "Transfer-Encoding", "Connection"}) {
            assertThatThrownBy(() -> head.remove(FieldName.of(name))).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
