package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseTest {
    @Test
    void keepsCopiesOfWhatItWasGiven() {
        byte[] body = {1, 2, 3};
        List<Field> fields = new ArrayList<>(List.of(Field.of("A", "1")));
        Response response = Response.withBody(200, fields, body);
        body[0] = 9;
        fields.clear();
        byte[] target = new byte[5];

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.fields()).containsExactly(Field.of("A", "1"));
        assertThat(response.bodyBytes()).isEqualTo(3);
        assertThat(response.copyBodyTo(target, 1)).isEqualTo(4);
        assertThat(target).containsExactly(0, 1, 2, 3, 0);
    }

    @Test
    void textIsUtf8() {
        Response response = Response.text(403, "n\u00F6");
        byte[] body = new byte[response.bodyBytes()];
        response.copyBodyTo(body, 0);

        assertThat(new String(body, StandardCharsets.UTF_8)).isEqualTo("n\u00F6");
        assertThat(response.fields()).containsExactly(Field.of("Content-Type", "text/plain; charset=utf-8"));
    }

    @Test
    void aLineEndsAsOne() {
        Field soon = Field.of("Retry-After", "1");
        Response response = Response.line(429, "Too many requests.", soon);
        byte[] body = new byte[response.bodyBytes()];
        response.copyBodyTo(body, 0);

        assertThat(new String(body, StandardCharsets.UTF_8)).isEqualTo("Too many requests.\n");
        assertThat(response.status()).isEqualTo(429);
        assertThat(response.fields()).containsExactly(Field.of("Content-Type", "text/plain; charset=utf-8"), soon);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 100, 101, 199, 600, 1000})
    void refusesWhatIsNoFinalStatus(int status) {
        assertThatThrownBy(() -> Response.of(status))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("status: " + status + " (expected: 200 to 599)");
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void someEndWithTheirHead(int status) {
        assertThat(Response.of(status).bodyBytes()).isZero();
        assertThatThrownBy(() -> Response.withBody(status, List.of(), new byte[2]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("body of 2 bytes (expected: none with " + status);
    }
}
