package net.oooops.sigma.plugin.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expressions that come to a text. */
class TextExpressionTest {
    private static final TestExchange REQUEST = TestExchange.of("GET", "/a?n=1", "X-Tenant: shop");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "request.headers['X-Tenant'] | shop",
                "request.headers['X-None'] | ''",
                "request.path == '/a' ? 'a' : 'b' | a",
                "['x', 'y'][int(request.params['n'])] | y",
                "string(size(request.path)) | 2"
            })
    void itIsAText(String text, String expected) {
        assertThat(TextExpression.compile(text).text(REQUEST)).isEqualTo(expected);
    }

    @Test
    void whatCanNotBeEvaluatedIsNone() {
        TextExpression third = TextExpression.compile("['x', 'y'][int(request.params['n'])]");
        assertThat(third.text(TestExchange.of("GET", "/a?n=2"))).isNull();
        assertThat(third.text(TestExchange.of("GET", "/a?n=two"))).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "request.method == 'GET' | expected type 'string' but found 'bool'",
                "response.status | expected type 'string' but found 'int'",
                "string(response.status) | over the request",
                "request.method + request.path | '_+_'",
                "request.metod | undeclared reference",
                "request.headers | expected type 'string'"
            })
    void whatIsWrongIsTold(String text, String expected) {
        assertThatThrownBy(() -> TextExpression.compile(text))
                .isInstanceOfSatisfying(
                        UnfitException.class, e -> assertThat(e.expected()).contains(expected));
    }

    @Test
    void twoOfOneTextAreEqual() {
        TextExpression one = TextExpression.compile("request.path");
        assertThat(one)
                .isEqualTo(TextExpression.compile("request.path"))
                .hasSameHashCodeAs(TextExpression.compile("request.path"))
                .isNotEqualTo(TextExpression.compile("request.host"))
                .hasToString("request.path");
    }
}
