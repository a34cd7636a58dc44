package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http1.WholeHead;
import org.junit.jupiter.api.Test;

class FieldValuesTest {
    private final HttpRequestHead head = new HttpRequestHead();

    private void read(String... fields) {
        String text = "GET / HTTP/1.1\r\nHost: a\r\n" + String.join("\r\n", fields) + "\r\n\r\n";
        assertThat(WholeHead.readRequest(text.getBytes(ISO_8859_1), head, Limits.DEFAULT))
                .isNull();
    }

    private String joined(int known) {
        HeadWriter out = new HeadWriter().begin();
        boolean written = FieldValues.join(head, known, out);
        assertThat(written).isEqualTo(out.length() > 0);
        return out.text();
    }

    @Test
    void valuesOfOneKindAreJoinedInTheirOrder() {
        read("X-Forwarded-For: 10.0.0.1, 10.0.0.2", "Accept: b", "x-forwarded-for:", "X-FORWARDED-FOR: 10.0.0.3");
        assertThat(joined(KnownField.X_FORWARDED_FOR)).isEqualTo("10.0.0.1, 10.0.0.2, 10.0.0.3");
        assertThat(joined(KnownField.FORWARDED)).isEmpty();
    }

    @Test
    void emptyValuesAreNone() {
        read("X-Forwarded-For:", "X-Forwarded-For: ");
        assertThat(joined(KnownField.X_FORWARDED_FOR)).isEmpty();
        assertThat(FieldValues.has(head, KnownField.X_FORWARDED_FOR)).isTrue();
    }

    @Test
    void whatAnEditTookOutIsNotThere() {
        read("X-Forwarded-For: 10.0.0.1");
        head.remove(FieldName.of("X-Forwarded-For"));
        assertThat(FieldValues.has(head, KnownField.X_FORWARDED_FOR)).isFalse();
    }

    @Test
    void textIsCountedInAllValuesOfThatKindAndInNoOther() {
        read("Accept: sigma-1", "Via: 1.1 sigma-1, 1.1 other", "Via: 1.1 sigma-1, 1.1 sigma-12, 1.1 sigma-");
        assertThat(FieldValues.count(head, KnownField.VIA, Octets.ascii("sigma-1")))
                .isEqualTo(3);
        assertThat(FieldValues.count(head, KnownField.FORWARDED, Octets.ascii("sigma-1")))
                .isZero();
    }

    /** The log shows what came. */
    @Test
    void theFirstValueIsTheReceivedOne() {
        read("X-A: one", "x-a: two");
        head.remove(FieldName.of("X-A"));
        long value = FieldValues.first(head, FieldName.of("x-A"));
        assertThat(Octets.string(head.bytes(), Span.start(value), Span.end(value)))
                .isEqualTo("one");
        assertThat(FieldValues.first(head, FieldName.of("X-B"))).isEqualTo(Span.NONE);
    }
}
