package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is right as it is written, and mostly meant otherwise. */
class QuietTrapsTest {
    private static final ComposedSchema SCHEMA =
            new PluginCatalog(QuietTrapsTest.class.getClassLoader()).composedSchema();

    private static List<String> warnings(String plugins, String more) {
        String json = "{\"proxy-server\": {\"http\": {\"id\": \"s\", \"port\": 1}}, \"router\": [{\"id\": \"r\","
                + " \"proxy-server-id\": \"s\", \"route\": [{\"id\": \"a\", \"path\": \"/a/*\", \"proxy-pass-id\": \"p\","
                + " \"plugin\": {" + plugins.replace('\'', '"') + "}}" + more.replace('\'', '"') + "]}],"
                + "\"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + "\"upstream\": [{\"id\": \"u\", \"nodes\": [\"http://127.0.0.1:9\"]}]}";
        ConfigResult result = new ConfigReader(SCHEMA, PluginTrial.NONE)
                .read(json.getBytes(UTF_8), Path.of("").toAbsolutePath());
        return ((ConfigResult.Valid) result)
                .warnings().stream().map(warning -> warning.text("")).toList();
    }

    private static List<String> warnings(String plugins) {
        return warnings(plugins, "");
    }

    @Test
    void aRedirectionByARegexpDropsTheQuery() {
        assertThat(warnings("'redirect': { 'regexp': '^/old/(.*)', 'to': '/new/$1' }"))
                .singleElement()
                .asString()
                .contains("/redirect/to", "it is dropped; did you mean \"/new/$1$query\"?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'regexp': '^/old/(.*)', 'to': '/new/$1$query'",
                "'regexp': '^/old/(.*)', 'to': '/new?page=$1'",
                "'regexp': '^/old/(.*)', 'to': '/new/$1?'",
                "'regexp': '^/old/', 'to': '/new'",
                "'to': 'https://www.example.com$path'"
            })
    void whereTheQueryIsSaidNothingIsToldOfIt(String settings) {
        assertThat(warnings("'redirect': { " + settings + " }")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'key-auth': { 'file': 'keys' }|'header': 'x-api-key'",
                "'key-auth': { 'file': 'keys', 'from': [{ 'field': 'X-Key' }] }|'header': 'X-Key'",
                "'key-auth': { 'file': 'keys', 'from': [{ 'cookie': 'key' }] }|'cookie': 'key'",
                "'basic-auth': { 'file': 'keys' }|'header': 'Authorization'"
            })
    void aLimitByCredentialsThatAreTakenOutCountsAddresses(String pair) {
        String finder = pair.substring(0, pair.indexOf('|'));
        String limit = "'rate-limit': { 'limits': [{ 'requests': 1, 'per': '1s' }], 'by': ['route', { "
                + pair.substring(pair.indexOf('|') + 1) + " }] }";
        assertThat(warnings(finder + ", " + limit))
                .singleElement()
                .asString()
                .contains("/rate-limit/by/1/", "\"consumer\" in \"by\"", "addresses are counted");
        assertThat(warnings(limit + ", " + finder)).isEmpty();
        String passing = finder.replace("'file'", "'hide-credentials': false, 'file'");
        assertThat(warnings(passing + ", " + limit)).isEmpty();
    }

    /** Another limit, to which the consumer doesn't come, has one that looks more like it. */
    @Test
    void thePlanThatIsMeantIsOneThatTheConsumerComesTo() {
        String finder =
                "'key-auth': { 'consumers': [{ 'id': 'a', 'keys': ['of-an-example-0123456789'], 'fields': { 'X-Consumer-Plan': '%s' } }] }, ";
        String limit = "'rate-limit': { 'limits': [{ 'requests': 1, 'per': '1s' }], 'by': 'consumer',"
                + " 'plans': [{ 'id': '%s', 'limits': [{ 'requests': 2, 'per': '1s' }] }] }";
        String other = ", { 'id': 'b', 'path': '/b', 'proxy-pass-id': 'p', 'plugin': {" + finder.formatted("glod")
                + limit.formatted("glod") + "}}";
        assertThat(warnings(finder.formatted("gold") + limit.formatted("golden"), other))
                .singleElement()
                .asString()
                .contains("/fields/X-Consumer-Plan", "did you mean \"golden\"?");
    }

    @Test
    void aRewriteThatLeavesTheFolderItselfIsTold() {
        assertThat(warnings("'rewrite-path': { 'regexp': '^/a/(.*)', 'replacement': '/$1' }"))
                .singleElement()
                .asString()
                .contains("/rewrite-path/regexp", "found in \"/a\", too", "\"^/a(/|$)\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"^/a", "^/a(/|$)", "^/a/?", "^/a/v1/", "^/b/", "/x$", "/$"})
    void aRewriteOfTheFolderItselfOrOfOtherPathsIsNot(String regexp) {
        assertThat(warnings("'rewrite-path': { 'regexp': '" + regexp + "', 'replacement': '/' }"))
                .isEmpty();
    }

    @Test
    void whereAnotherRouteTakesTheFolderOrAConditionHoldsItIsNot() {
        String plugins = "'rewrite-path': { 'regexp': '^/a/', 'replacement': '/' }";
        assertThat(warnings(plugins, ", { 'id': 'b', 'path': '/a', 'proxy-pass-id': 'p' }"))
                .isEmpty();
        assertThat(warnings(plugins.replace(" }", ", 'when': 'request.scheme != request.method' }")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'static-resources': { 'root': '.' }, 'respond': {}",
                "'redirect': { 'to': '/b' }, 'compression': { 'enable': false }, 'respond': {}",
                "'respond': {}, 'x-frame': 'DENY'"
            })
    void whatStandsBehindAnAnswerIsTold(String plugins) {
        assertThat(warnings(plugins))
                .singleElement()
                .asString()
                .contains(" behind \"", "answers all requests, and this plugin sees none, nor their answers");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'x-frame': 'DENY', 'respond': {}",
                "'static-resources': { 'root': '.', 'missing': 'pass' }, 'respond': {}",
                "'redirect': { 'regexp': '^/a/b$', 'to': '/b' }, 'respond': {}",
                "'respond': { 'mode': 'shadow' }, 'redirect': { 'to': '/b' }",
                "'respond': { 'enable': false }, 'redirect': { 'to': '/b' }"
            })
    void whatMayStillBeAskedIsNot(String plugins) {
        assertThat(warnings(plugins)).isEmpty();
    }
}
