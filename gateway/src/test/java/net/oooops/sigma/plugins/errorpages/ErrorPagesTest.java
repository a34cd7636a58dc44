package net.oooops.sigma.plugins.errorpages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorPagesTest {
    private static final Map<String, Object> PAGE = Map.of("content-type", "text/html", "body", "<p>\u00e4</p>");
    private static final Map<String, Object> OTHER =
            Map.of("content-type", "text/plain", "body", "later", "status", 503);
    private static final Map<String, Object> PAGES = Map.of("404", PAGE, "5xx", OTHER);

    private static PluginHarness plugin(boolean intercept) {
        return PluginHarness.of(new ErrorPagesFactory(), Map.of("pages", PAGES, "intercept", intercept));
    }

    private static TestExchange failed(Fault fault) {
        return TestExchange.of("GET", "/").withFault(fault);
    }

    @Test
    void sigmasOwnAnswersGetAPage() throws Exception {
        TestExchange exchange = failed(Fault.NO_ROUTE);
        plugin(false).responseWithBody(exchange, 404, "no route", "Content-Type: text/plain", "X-Frame-Options: DENY");
        assertThat(exchange.response().status()).isEqualTo(404);
        assertThat(exchange.response().lines()).containsExactly("X-Frame-Options: DENY", "Content-Type: text/html");
        assertThat(exchange.responseText()).isEqualTo("<p>\u00e4</p>");
    }

    @Test
    void nodesAnswersPassUnlessTheyAreAskedFor() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        assertThat(plugin(false).response(exchange, 404)).isEqualTo(Outcome.CONTINUE);
        assertThat(plugin(true).response(exchange, 404)).isNotEqualTo(Outcome.CONTINUE);
    }

    @ParameterizedTest
    @CsvSource({"399, 0", "400, 0", "403, 0", "404, 404", "499, 0", "500, 503", "503, 503", "599, 503", "200, 0"})
    void aStatusGoesBeforeItsClass(int status, int expected) throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        Outcome outcome = plugin(true).response(exchange, status);
        if (expected == 0) {
            assertThat(outcome).isEqualTo(Outcome.CONTINUE);
        } else {
            assertThat(exchange.response().status()).isEqualTo(expected);
        }
    }

    @Test
    void whatIsSaidOfTheBodyGoesWithIt() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        plugin(true)
                .responseWithBody(
                        exchange,
                        404,
                        "gone",
                        "ETag: \"1\"",
                        "Content-Encoding: gzip",
                        "content-language: de",
                        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
                        "Accept-Ranges: bytes",
                        "Content-Digest: sha-256=:AA==:",
                        "Cache-Control: max-age=60",
                        "Vary: Accept-Encoding",
                        "Set-Cookie: a=1",
                        "Set-Cookie: b=2",
                        "Retry-After: 1",
                        "Content-Type: application/json");
        assertThat(exchange.response().lines())
                .containsExactly(
                        "Cache-Control: max-age=60",
                        "Vary: Accept-Encoding",
                        "Set-Cookie: a=1",
                        "Set-Cookie: b=2",
                        "Retry-After: 1",
                        "Content-Type: text/html");
    }

    @Test
    void anAnswerWithAnotherStatusIsNotKept() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        plugin(true).response(exchange, 500, "Cache-Control: max-age=60", "Age: 7", "Expires: 0", "X-A: 1");
        assertThat(exchange.response().lines())
                .containsExactly("X-A: 1", "Content-Type: text/plain", "Cache-Control: no-store");
    }

    @ParameterizedTest
    @CsvSource({"application/grpc", "Application/gRPC+proto", "application/grpc-web-text"})
    void callsOfGrpcAreLeftAlone(String type) throws Exception {
        TestExchange asked = TestExchange.of("POST", "/", "Content-Type: " + type);
        assertThat(plugin(true).response(asked, 404)).isEqualTo(Outcome.CONTINUE);
        TestExchange answered = TestExchange.of("POST", "/");
        assertThat(plugin(true).response(answered, 404, "Content-Type: " + type))
                .isEqualTo(Outcome.CONTINUE);
    }

    @Test
    void theInnermostPageHolds() throws Exception {
        PluginHarness outer = PluginHarness.of(new ErrorPagesFactory(), Map.of("pages", Map.of("4xx", OTHER)));
        TestExchange exchange = failed(Fault.NO_ROUTE);
        plugin(false).response(exchange, 404);
        assertThat(outer.response(exchange)).isEqualTo(Outcome.CONTINUE);
        assertThat(exchange.responseText()).isEqualTo("<p>\u00e4</p>");
    }

    /** A plugin in between has failed, or answered with something else. */
    @Test
    void anotherAnswerMeanwhileGetsAPageAgain() throws Exception {
        TestExchange exchange = failed(Fault.NO_ROUTE);
        plugin(false).response(exchange, 404);
        exchange.withFault(Fault.PLUGIN_FAILED);
        plugin(false).response(exchange, 500);
        assertThat(exchange.response().status()).isEqualTo(503);
    }

    private static String refused(Map<String, ?> page) {
        try {
            new ErrorPagesFactory().create(Settings.of(Map.of("pages", Map.of("404", page))), new TestContext());
        } catch (SettingsException e) {
            return String.valueOf(e.getMessage());
        }
        throw new AssertionError("taken");
    }

    @Test
    void refusesWhatItCanNotDo() {
        assertThat(refused(Map.of("content-type", "a/b", "body", "", "status", 204)))
                .isEqualTo("/pages/404/status: 204 (expected: a status whose answers have a body)");
        assertThat(refused(Map.of("content-type", "a\n", "body", ""))).contains("expected: a media type");
        assertThat(refused(Map.of("content-type", "a/b", "file", "x"))).contains("expected: its text in \"body\"");
        assertThatThrownBy(() -> refused(Map.of("content-type", "a/b", "body", "x")))
                .hasMessage("taken");
    }
}
