package net.oooops.sigma.plugins.rewritepath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RewritePathTest {
    private static Plugin plugin(String regexp, String replacement) {
        return new RewritePathFactory()
                .create(Settings.of(Map.of("regexp", regexp, "replacement", replacement)), new TestContext());
    }

    private static String rewrite(String regexp, String replacement, String target) throws Exception {
        TestExchange exchange = TestExchange.of("GET", target);
        PluginHarness.of(plugin(regexp, replacement)).request(exchange);
        String query = exchange.request().query();
        return exchange.request().path() + (query == null ? "" : "?" + query);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " | ",
            value = {
                "^/test            | ''             | /test/a?b=/test  | /a?b=/test",
                "^/test            | ''             | /test            | /",
                "^/test            | /              | /test/a          | /a",
                "^/test            | ''             | /other           | /other",
                "^/test/           | /              | /test/a          | /a",
                "^/test/(.*)       | /$1            | /test/a/b        | /a/b",
                "^/test/(.*)$      | $1             | /test/a          | /a",
                "^/test(/.*)$      | $1             | /test            | /test",
                "^/test(/.*)$      | /x$1           | /test/a          | /x/a",
                "^/test/?(.*)      | /$1            | /testa           | /a",
                "^/test/?(.*)      | /x$1           | /test/a          | /xa",
                "^/a\\.b           | /c             | /a.b/d           | /c/d",
                "^\\Q/a.b\\E       | /c             | /axb/d           | /axb/d",
                "/(\\d+)/          | /n$1/          | /a/12/b/34/c     | /a/n12/b/34/c",
                "/(\\d+)/          | /n$1/          | /a|b/12/[c]^     | /a|b/n12/[c]^",
                "/u/(?<id>\\w+)$   | /${id}/u       | /u/ann           | /ann/u",
                "/(a)?b            | /x$1           | /b               | /x",
                "%20               | _              | /a%20b%20c       | /a_b%20c",
                "/b                | ''             | /a/b             | /a",
                "^.*$              | /b             | /a               | /b",
                "^/(.*)            | $1             | /a               | /a"
            })
    void replacesTheFirstMatch(String regexp, String replacement, String target, String expected) throws Exception {
        assertThat(rewrite(regexp, replacement, target)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^/test",
                "^/test/",
                "^/test(.*)",
                "^/test/(.*)$",
                "^/test(/.*)",
                "^/test/?(.*)$",
                "^/te\\-st\\.x",
                "^\\Q/a(b)\\E/(.*)",
                "^/"
            })
    void aLiteralPrefixCostsNoRegexp(String regexp) {
        assertThat(plugin(regexp, regexp.contains("(.*)") || regexp.contains("(/") ? "/x/$1" : "/x"))
                .isInstanceOf(PrefixRewrite.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/test",
                "^test",
                "^/te.t",
                "^/test*",
                "^/tests?",
                "^/test$",
                "^/(test)",
                "^/te\\dst",
                "(?i)^/test",
                "^/test|^/b",
                "^/[t]est",
                "^/test(.*)x",
                "^/test(.+)",
                "^/test//?(.*)",
                "^/t{2}",
                "^/test\\b"
            })
    void everythingElseIsMatched(String regexp) {
        assertThat(plugin(regexp, "/x")).isInstanceOf(RegexpRewrite.class);
    }

    @Test
    void aReplacementThatSaysMoreIsMatched() {
        assertThat(plugin("^/test/(.*)", "/$1/x")).isInstanceOf(RegexpRewrite.class);
        assertThat(plugin("^/test/(.*)", "/x")).isInstanceOf(RegexpRewrite.class);
        assertThat(plugin("^/test", "$0/x")).isInstanceOf(RegexpRewrite.class);
    }

    /** Routes pass over parameters, and so does a rule that says nothing of them: what it takes isn't left as it is. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = " | ",
            value = {
                "^/r/(.*)          | /app/$1        | /r;x/y           | /app/y",
                "^/r/(.*)          | /app/$1        | /r;x/y;z=1       | /app/y;z=1",
                "^/r(/.*)$         | /app$1         | /r;x/y;z/w       | /app/y;z/w",
                "^/r               | ''             | /r;x/y           | /y",
                "^/r               | ''             | /r;x             | /",
                "^/a/b             | /app           | /a;x/b;y/c       | /app/c",
                "^/a/b/(.*)        | /app/$1        | /a/b;y/c         | /app/c",
                "^/(?:a|r)/(.*)    | /app/$1        | /r;/b/;x         | /app/b/;x",
                "^/r/(.*)          | /app/$1        | /rs;x/y          | /rs;x/y",
                "/(\\d+)/          | /n$1/          | /a;q=7/12;w/b    | /a;q=7/n12;w/b",
                "^/r;x/(.*)        | /app/$1        | /r;x/y           | /app/y",
                "^/r;v=(\\d+)      | /v$1           | /r;v=2/y         | /v2/y"
            })
    void seesParametersAsRoutesDo(String regexp, String replacement, String target, String expected) throws Exception {
        assertThat(rewrite(regexp, replacement, target)).isEqualTo(expected);
    }

    @Test
    void asteriskIsNoPath() throws Exception {
        TestExchange exchange = TestExchange.of("OPTIONS", "*");
        PluginHarness.of(plugin(".*", "/x")).request(exchange);

        assertThat(exchange.request().path()).isEqualTo("*");
    }

    @Test
    void aPathThatHasARegexpBacktrackWithoutEndIsRefused() throws Exception {
        assertStopped("^/(a|aa)+\\1b$", "/" + "a".repeat(64) + "!");
        assertStopped("^/.*/.*/.*/.*/.*x$", "/a".repeat(100));
    }

    /** By what the client sends, which is no failure of the gateway; counted under its reason. */
    private static void assertStopped(String regexp, String path) throws Exception {
        TestContext context = new TestContext();
        Map<String, String> settings = Map.of("regexp", regexp, "replacement", "/x");
        Plugin plugin = new RewritePathFactory().create(Settings.of(settings), context);
        Outcome outcome = PluginHarness.of(plugin).request(TestExchange.of("GET", path));
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Refuse.class, refuse -> {
            assertThat(refuse.fault()).isEqualTo(Fault.REWRITE_REFUSED);
            assertThat(refuse.reason()).hasToString("test: regexp-steps");
        });
        assertThat(context.count("regexp-steps")).isEqualTo(1);
    }

    @Test
    void aRegexpThatRecursesTooDeepIsStopped() throws Exception {
        CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        Runnable deep = () -> {
            try {
                assertStopped("^(/(a|b|/)*)*$", "/" + "ab".repeat(30_000));
                stopped.complete(true);
            } catch (Throwable e) {
                stopped.completeExceptionally(e);
            }
        };
        Thread.ofPlatform().stackSize(160 << 10).start(deep).join();

        assertThat(stopped.join()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " | ",
            value = {
                "/(a  | /x     | /regexp      | Unclosed group",
                "/a   | /$1    | /replacement | groups that the regexp has: 0",
                "/(a) | /${b}  | /replacement | groups that the regexp has: 1",
                "/(a) | /${b   | /replacement | ${b} is none",
                "/a   | /$     | /replacement | a group after $",
                "/a   | /$x    | /replacement | a group after $",
                "/a   | /x\\   | /replacement | a character after \\",
                "/a   | /x?y=1 | /replacement | path characters",
                "/a   | /%4    | /replacement | path characters",
                "/a   | /a b   | /replacement | path characters",
                "/a   | /./b   | /replacement | without dot segments"
            })
    void problemsNameTheirPlace(String regexp, String replacement, String pointer, String message) {
        assertThatThrownBy(() -> plugin(regexp, replacement))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(message);
    }
}
