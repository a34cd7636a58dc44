package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class RepeatedTextsTest {
    private final RepeatedTexts texts = new RepeatedTexts();

    private static String made(String text) {
        return String.valueOf(text.toCharArray());
    }

    private static String key(Json item) {
        return Objects.requireNonNull(item.parent()).step();
    }

    @Test
    void anEqualTextIsTheOneBefore() {
        String first = texts.same(made("proxy-pass-id"));

        assertThat(texts.same(made("proxy-pass-id"))).isSameAs(first);
        assertThat(texts.same(made("upstream-id"))).isEqualTo("upstream-id");
        assertThat(texts.same(made("proxy-pass-id"))).isSameAs(first);
    }

    /** "Aa" and "BB" have one hash: the later one takes the place, and neither is taken for the other. */
    @Test
    void textsOfOneHashStayWhatTheyAre() {
        String first = texts.same(made("Aa"));

        assertThat(texts.same(made("BB"))).isEqualTo("BB");
        assertThat(texts.same(made("Aa"))).isEqualTo("Aa").isNotSameAs(first);
    }

    @Test
    void keysAndTextsOfAFileAreOneStringEach() {
        String json = """
                {"route": [{"id": "a", "allow-method": ["GET"]}, {"id": "b", "allow-method": ["GET"]}]}""";

        Json root = Objects.requireNonNull(JsonReader.read(json, new Problems()));

        Json first = root.at("/route/0/allow-method/0");
        Json second = root.at("/route/1/allow-method/0");
        assertThat(first.text()).isEqualTo("GET").isSameAs(second.text());
        assertThat(key(first)).isEqualTo("allow-method").isSameAs(key(second));
    }
}
