package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PluginHabitCheckTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(PluginHabitCheckTest.class.getClassLoader());

    @Test
    void whoIsAllowedAndDeniedIsNobody() {
        assertThat(
                        ofPlugin(
                                "\"ip-restriction\": { \"allow\": [\"10.1.0.0/16\", \"10.2.3.4\"], \"deny\": [\"10.0.0.0/8\"] }"))
                .singleElement()
                .asString()
                .contains("/ip-restriction/deny: all that \"allow\" has", "nobody is let in");
        assertThat(ofPlugin("\"ip-restriction\": { \"allow\": [\"10.0.0.0/8\", \"::1\"], \"deny\": [\"0.0.0.0/0\"] }"))
                .isEmpty();
        assertThat(ofPlugin("\"ip-restriction\": { \"allow\": [\"10.0.0.0/8\"], \"deny\": [\"10.9.0.0/16\"] }"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "$remote_addr, {client-address}",
        "${remote_addr}x, {client-address}",
        "a $scheme b, {scheme}",
        "$http_user_agent, {header:user-agent}",
        "{http.request.remote.host}, {client-address}",
        "%[src], {client-address}",
        "%DOWNSTREAM_REMOTE_ADDRESS%, {client-address}",
        "{{ .RemoteAddr }}, {client-address}",
        "{client-address}, {client-address}",
    })
    void variablesInFieldsAreSentAsTheyStand(String written, String meant) {
        String value = written.replace("${", "$${");
        assertThat(ofPlugin("\"headers\": { \"request\": { \"set\": { \"X-A\": \"" + value + "\" } } }"))
                .singleElement()
                .asString()
                .contains("/headers/request/set/X-A", "\"set-template\"", "did you mean \"" + meant + "\"");
    }

    @Test
    void whatSigmaAddsByItselfIsNotWritten() {
        assertThat(
                        ofPlugin(
                                "\"headers\": { \"request\": { \"set\": { \"X-Forwarded-For\": \"$proxy_add_x_forwarded_for\" } } }"))
                .singleElement()
                .asString()
                .contains("Sigma adds it by itself");
        assertThat(ofPlugin("\"headers\": { \"request\": { \"set-template\": { \"X-A\": \"$host {path}\" } } }"))
                .singleElement()
                .asString()
                .contains("did you mean \"{host}\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'headers': { 'request': { 'remove': ['x-forwarded-for'] } }",
                "'headers': { 'request': { 'remove': ['Via'] } }",
                "'headers': { 'request': { 'set': { 'Via': '1.1 a' } } }",
                "'headers': { 'response': { 'remove': ['via'] } }",
                "'headers': { 'response': { 'add': { 'Via': '1.1 a' } } }",
                "'server-version': { 'remove': ['Server', 'Via'] }"
            })
    void fieldsOfSigmasOwnStay(String plugin) {
        assertThat(ofPlugin(plugin.replace('\'', '"')))
                .singleElement()
                .asString()
                .contains("a field that Sigma doesn't write itself");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'headers': { 'request': { 'set': { 'X-Forwarded-Proto': 'https' } } }",
                "'headers': { 'request': { 'remove': ['X-Forwarded-Prefix'] } }",
                "'server-version': { 'remove': ['Server'] }"
            })
    void otherFieldsAreChanged(String plugin) {
        assertThat(ofPlugin(plugin.replace('\'', '"'))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\\\"group\\\":\\\"a\\\"}",
                "US$ 5",
                "max-age=5; 100%",
                "{}",
                "a$",
                "{shop}",
                "/books/{id}",
                "Bearer abc$def",
                "filename*=UTF-8''%E4%BD%A0.pdf"
            })
    void otherTextsAreTexts(String value) {
        assertThat(ofPlugin("\"headers\": { \"response\": { \"set\": { \"X-A\": \"" + value + "\" } } }"))
                .isEmpty();
    }

    @Test
    void groupsAreWrittenWithADollar() {
        assertThat(ofPlugin("\"rewrite-path\": { \"regexp\": \"^/a/(.*)\", \"replacement\": \"/\\\\1\" }"))
                .singleElement()
                .asString()
                .contains("/replacement", "$1 for what a group", "did you mean \"/$1\"");
        assertThat(ofPlugin("\"rewrite-path\": { \"regexp\": \"^/a/(.*)\", \"replacement\": \"/$1\" }"))
                .isEmpty();
    }

    @Test
    void aHashOfAKeyIsWrittenWithItsPrefix() {
        String hash = "963754d2670c03adfd1be0ef89006d911cf07c64aa3c61552607d58dbbd626ed";
        assertThat(ofPlugin("\"key-auth\": { \"consumers\": [{ \"id\": \"shop\", \"keys\": [\"" + hash + "\"] }] }"))
                .singleElement()
                .asString()
                .contains(
                        "/key-auth/consumers/0/keys/0: 64 hexadecimal digits",
                        "\"sha256:\" before them",
                        "`printf %s KEY | sha256sum`")
                .doesNotContain(hash);
        for (String other : List.of("sha256:" + hash, hash.substring(1), hash.substring(1) + "x")) {
            assertThat(ofPlugin(
                            "\"key-auth\": { \"consumers\": [{ \"id\": \"shop\", \"keys\": [\"" + other + "\"] }] }"))
                    .isEmpty();
        }
    }

    @Test
    void aBlockWithBitsBeyondItsPrefixIsToldWithTheBlock() {
        assertThat(problems("\"plugin\": { \"ip-restriction\": { \"allow\": [\"10.0.0.1/8\"] } }"))
                .contains("/allow/0: \"10.0.0.1/8\"", "did you mean \"10.0.0.0/8\"?");
    }

    @Test
    void anUpstreamInThePlaceOfAProxyPassIsToldWithTheProxyPass() {
        assertThat(problems("\"plugin\": {} }, { \"id\": \"b\", \"path\": \"/b\", \"proxy-pass-id\": \"u\""))
                .contains(
                        "/router/0/route/1/proxy-pass-id: \"u\"",
                        "\"proxy-pass\": [{ \"id\": \"u\", \"upstream-id\": \"u\" }]");
    }

    private static String problems(String ofRoute) {
        return ((ConfigResult.Invalid) read(ofRoute)).text("sigma.json");
    }

    private static List<String> ofPlugin(String plugins) {
        return of("\"plugin\": {" + plugins + "}");
    }

    private static ConfigResult read(String ofRoute) {
        String json = """
                { "proxy-server": { "http": { "id": "web", "port": 8080 } },
                  "router": [{ "id": "r", "proxy-server-id": "web",
                    "route": [{ "id": "a", "path": "/*", "proxy-pass-id": "p", %s }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:9001"] }] }
                """.formatted(ofRoute);
        return new ConfigReader(CATALOG.composedSchema(), CATALOG::tryOut)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
    }

    private static List<String> of(String ofRoute) {
        ConfigResult result = read(ofRoute);
        assertThat(result)
                .as(() -> result instanceof ConfigResult.Invalid invalid ? invalid.text("sigma.json") : "")
                .isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result)
                .warnings().stream().map(warning -> warning.text("sigma.json")).toList();
    }
}
