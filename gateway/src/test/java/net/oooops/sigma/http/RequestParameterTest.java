package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http1.WholeHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestParameterTest {
    private static HttpRequestHead head(String target) {
        HttpRequestHead head = new HttpRequestHead();
        byte[] bytes = ("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(ISO_8859_1);
        assertThat(WholeHead.readRequest(bytes, head, Limits.DEFAULT)).isNull();
        return head;
    }

    private static String value(HttpRequestHead head, String name) {
        long span = new RequestParameter(name).find(head);
        if (span == Span.NONE) {
            return "-";
        }
        byte[] bytes = RequestParameter.bytes(head);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream();
        int end = Span.end(span);
        for (int at = Span.start(span); at < end; at += RequestParameter.width(bytes, at, end)) {
            decoded.write(RequestParameter.octet(bytes, at, end));
        }
        return decoded.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/?user=x             | user    | x",
                "/?a=b&user=x&c=d     | user    | x",
                "/?user=x&user=y      | user    | x",
                "/?%75ser=%78+y%C3%A9 | user    | x y\u00e9",
                "/?a+b=c              | a b     | c",
                "/?a%3Db=c            | a=b     | c",
                "/?%C3%A9=c           | \u00e9  | c",
                "/?user=a=b           | user    | a=b",
                "/?user=100%          | user    | 100%",
                "/?user=%4            | user    | %4",
                "/?user=              | user    | ''",
                "/?user               | user    | ''",
                "/?&&user&            | user    | ''",
                "/?users=x&User=y     | user    | -",
                "/?use=x              | user    | -",
                "/?                   | user    | -",
                "/                    | user    | -",
            })
    void isFoundAndDecoded(String target, String name, String value) {
        assertThat(value(head(target), name)).isEqualTo(value);
    }

    @Test
    void theQueryOfAPluginIsReadToo() {
        HttpRequestHead head = head("/?user=x");
        head.query("user=y");
        assertThat(value(head, "user")).isEqualTo("y");
        head.query(null);
        assertThat(value(head, "user")).isEqualTo("-");
    }
}
