package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.Allocation;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http1.WholeHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestCookieTest {
    private int sink;
    private final RequestCookie cookie = new RequestCookie("node");

    static HttpRequestHead head(String... cookieFields) {
        StringBuilder text = new StringBuilder("GET / HTTP/1.1\r\nHost: a\r\n");
        for (String field : cookieFields) {
            text.append("Cookie: ").append(field).append("\r\n");
        }
        HttpRequestHead head = new HttpRequestHead();
        byte[] bytes = text.append("Accept: */*\r\n\r\n").toString().getBytes(ISO_8859_1);
        assertThat(WholeHead.readRequest(bytes, head, Limits.DEFAULT)).isNull();
        return head;
    }

    static String text(HttpRequestHead head, long span) {
        return span == Span.NONE ? "-" : Octets.string(head.received(), Span.start(span), Span.end(span));
    }

    /** All fields that go on. */
    static List<String> goesOn(RequestCookie without, HttpRequestHead head) {
        without.withhold(head);
        HeadWriter out = new HeadWriter().begin();
        out.fields(head);
        without.writeOthers(head, out);
        List<String> lines = new ArrayList<>(List.of(out.text().split("\r\n")));
        lines.removeIf(line -> !line.startsWith("Cookie:"));
        return lines;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "node=x               | x     | -",
                "a=b; node=x          | x     | a=b",
                "node=x; a=b          | x     | a=b",
                "a=b; node=x; c=d     | x     | a=b; c=d",
                "a=b;node=x;c=d       | x     | a=b; c=d",
                "' a=b ;\tnode = x\t;' | x     | a=b",
                "node=; a=b           | ''    | a=b",
                "node=x; node=y       | x     | -",
                "node=a=b; c          | a=b   | c",
                "node=\"x\"           | '\"x\"' | -",
                "a=b                  | -     | a=b",
                "node                 | -     | node",
                "nodes=x; anode=y     | -     | nodes=x; anode=y",
                "Node=x               | -     | Node=x",
                "a=node=x             | -     | a=node=x",
                "';;;'                | -     | ;;;",
            })
    void isFoundAndLeftOut(String field, String value, String others) {
        HttpRequestHead head = head(field);
        String found = text(head, cookie.find(head));
        assertThat(found).isEqualTo(value == null ? "-" : value);
        assertThat(text(head, cookie.findReceived(head, Span.NONE))).isEqualTo(found);
        assertThat(goesOn(cookie, head)).isEqualTo(others == null ? List.of() : List.of("Cookie: " + others));
    }

    @Test
    void severalFieldsAreLookedAtInTheirOrder() {
        HttpRequestHead head = head("a=b", "node=x; c=d", "node=y", "e=f");
        long first = cookie.findReceived(head, Span.NONE);
        long second = cookie.findReceived(head, first);
        assertThat(text(head, first)).isEqualTo("x");
        assertThat(text(head, second)).isEqualTo("y");
        assertThat(cookie.findReceived(head, second)).isEqualTo(Span.NONE);
        assertThat(goesOn(cookie, head)).containsExactly("Cookie: a=b", "Cookie: e=f", "Cookie: c=d");
    }

    @Test
    void writingItAgainForAnotherTryIsTheSame() {
        HttpRequestHead head = head("node=x; c=d");
        assertThat(goesOn(cookie, head)).containsExactly("Cookie: c=d");
        assertThat(goesOn(cookie, head)).containsExactly("Cookie: c=d");
    }

    @Test
    void whatTheConnectionFieldNamesStaysAway() {
        HttpRequestHead head = new HttpRequestHead();
        String text = "GET / HTTP/1.1\r\nHost: a\r\nConnection: cookie\r\nCookie: a=b; node=x\r\n\r\n";
        assertThat(WholeHead.readRequest(text.getBytes(ISO_8859_1), head, Limits.DEFAULT))
                .isNull();
        assertThat(goesOn(cookie, head)).isEmpty();
    }

    @Test
    void fieldsThatAPluginWroteAreCleanedToo() {
        HttpRequestHead head = head("a=b; node=x; c=d");
        head.set(Field.of("Cookie", "a=b; node=x"));
        head.add(Field.of("cookie", "node=y"));
        head.add(Field.of("Cookie", "e=f"));
        assertThat(cookie.find(head)).isEqualTo(Span.NONE);
        assertThat(cookie.addedValue(head)).isEqualTo("x");
        assertThat(text(head, cookie.findReceived(head, Span.NONE))).isEqualTo("x");
        assertThat(goesOn(cookie, head)).containsExactly("Cookie: a=b", "Cookie: e=f");
        assertThat(head.values(FieldName.of("Cookie"))).containsExactly("a=b", "e=f");
    }

    @Test
    void fieldsThatAPluginTookOutStayOut() {
        HttpRequestHead head = head("a=b; node=x");
        head.remove(FieldName.of("Cookie"));
        assertThat(goesOn(cookie, head)).isEmpty();
        assertThat(cookie.addedValue(head)).isEmpty();
    }

    @Test
    void receivedFieldsAreReadAndWrittenWithoutAllocation() {
        HttpRequestHead head = head("a=b; node=x; c=d", "e=f");
        HeadWriter out = new HeadWriter();
        assertThat(Allocation.bytes(() -> {
                    out.begin();
                    cookie.findReceived(head, cookie.find(head));
                    cookie.withhold(head);
                    cookie.writeOthers(head, out);
                }))
                .isZero();
        assertThat(out.text()).isEqualTo("Cookie: a=b; c=d\r\n");
    }

    @Test
    void aPluginIsGivenItsValuesAlone() {
        CookieName node = CookieName.of("node");
        HttpRequestHead head = head("a=b", "node=x; c=d; node = y ", "e=f");
        assertThat(head.cookies(node)).containsExactly("x", "y");
        head.add(Field.of("Cookie", "node=z"));
        assertThat(head.cookies(node)).containsExactly("x", "y", "z").isEqualTo(node.values(head));
        head.remove(FieldName.of("Cookie"));
        assertThat(head.cookies(node)).isEmpty();
        assertThat(head.cookies(CookieName.of("a"))).isEmpty();
    }

    @Test
    void lookingForOneThatIsNotThereAllocatesNothing() {
        HttpRequestHead head = head("a=b; c=d", "e=" + "f".repeat(1_000));
        CookieName node = CookieName.of("node");
        assertThat(Allocation.bytes(() -> sink += head.cookies(node).size())).isZero();
    }
}
