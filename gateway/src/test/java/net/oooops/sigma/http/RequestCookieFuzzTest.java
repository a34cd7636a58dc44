package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http1.WholeHead;

class RequestCookieFuzzTest {
    private static final RequestCookie COOKIE = new RequestCookie("n");

    /** Each line is a Cookie field. What is found, and what goes on, is what a naive reading makes of it. */
    @FuzzTest
    void aCookieIsWhereANaiveReadingFindsIt(byte[] input) {
        List<String> fields = new ArrayList<>();
        StringBuilder text = new StringBuilder("GET / HTTP/1.1\r\nHost: a\r\n");
        for (String line : new String(input, ISO_8859_1).split("\n", 20)) {
            String field = line.replaceAll("[\\x00-\\x08\\x0A-\\x1F\\x7F]", "");
            fields.add(field);
            text.append("Cookie:").append(field).append("\r\n");
        }
        HttpRequestHead head = new HttpRequestHead();
        byte[] bytes = text.append("\r\n").toString().getBytes(ISO_8859_1);
        if (WholeHead.readRequest(bytes, head, Limits.DEFAULT) != null) {
            return;
        }
        List<String> values = new ArrayList<>();
        List<String> untouched = new ArrayList<>();
        List<String> rewritten = new ArrayList<>();
        for (String field : fields) {
            naive(field, values, untouched, rewritten);
        }
        List<String> found = new ArrayList<>();
        long at = COOKIE.findReceived(head, Span.NONE);
        while (at != Span.NONE) {
            found.add(RequestCookieTest.text(head, at));
            at = COOKIE.findReceived(head, at);
        }
        assertThat(found).isEqualTo(values);
        assertThat(COOKIE.find(head) == Span.NONE).isEqualTo(values.isEmpty());
        untouched.addAll(rewritten);
        assertThat(RequestCookieTest.goesOn(COOKIE, head).stream()
                        .map(line -> strip(line.substring("Cookie:".length()))))
                .isEqualTo(untouched);
    }

    private static void naive(String field, List<String> values, List<String> untouched, List<String> rewritten) {
        int before = values.size();
        List<String> others = new ArrayList<>();
        for (String each : field.split(";", -1)) {
            String pair = strip(each);
            int equals = pair.indexOf('=');
            if (equals >= 0 && stripEnd(pair.substring(0, equals)).equals("n")) {
                values.add(strip(pair.substring(equals + 1)));
            } else if (!pair.isEmpty()) {
                others.add(pair);
            }
        }
        if (values.size() == before) {
            untouched.add(strip(field));
        } else if (!others.isEmpty()) {
            rewritten.add(String.join("; ", others));
        }
    }

    private static String stripEnd(String text) {
        return text.replaceAll("[ \\t]+\\z", "");
    }

    private static String strip(String text) {
        return stripEnd(text).replaceAll("^[ \\t]+", "");
    }
}
