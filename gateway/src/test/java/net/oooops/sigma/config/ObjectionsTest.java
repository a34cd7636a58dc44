package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;

/** What plugins object to is told at once, as far as one objection doesn't hang on another. */
class ObjectionsTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(ObjectionsTest.class.getClassLoader());

    @Test
    void ofElementsEachIsTold() {
        assertThat(problems("\"basic-auth\": { \"consumers\": ["
                        + "{ \"id\": \"a\", \"password\": \"x\" },"
                        + "{ \"id\": \"b\", \"password\": \"$2y$10$rK4kM6cAi0Q2Q8dLbJmnYe2QIt1bxhC9R3W0i2bNqj3J8dEw8q4yS\" },"
                        + "{ \"id\": \"b:c\" },"
                        + "{ \"id\": \"c\", \"password\": \"y\" } ] }"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("/basic-auth/consumers/0/password: a password"),
                        second -> assertThat(second).contains("/basic-auth/consumers/2/id: \"b:c\""),
                        third -> assertThat(third).contains("/basic-auth/consumers/3/password: a password"));
    }

    @Test
    void ofEntriesWhoseKeysAreTheUsersEachIsTold() {
        assertThat(problems(
                        "\"headers\": { \"request\": { \"set\": { \"a b\": \"1\", \"c\": \"2\", \"Host\": \"3\" } } }"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("/headers/request/set/a b: "),
                        second -> assertThat(second).contains("/headers/request/set/Host: "));
    }

    @Test
    void whatTheSchemaSaysOfOneDoesNotHideTheOthers() {
        assertThat(problems("\"cors\": { \"allow-origins\": [1, \"https://a.example\", \"a b\"] }"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("/cors/allow-origins/0: 1"),
                        second -> assertThat(second).contains("/cors/allow-origins/2: \"a b\""));
        assertThat(problems("\"cors\": { \"allow-origins\": [\"a b\", \"https://a.example\"], \"max-age\": \"x\" }"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("/cors/allow-origins/0: \"a b\""),
                        second -> assertThat(second).contains("/cors/max-age: "));
    }

    @Test
    void twoThingsThatTheSchemaSaysOfOneDoNotHideTheOthers() {
        String good =
                "{ \"id\": \"b\", \"password\": \"$2y$10$rK4kM6cAi0Q2Q8dLbJmnYe2QIt1bxhC9R3W0i2bNqj3J8dEw8q4yS\" }";
        assertThat(problems("\"basic-auth\": { \"consumers\": [ { \"id\": 1, \"password\": 2 }, " + good
                        + ", { \"id\": \"b:c\" } ] }"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("/basic-auth/consumers/0/id: 1"),
                        second -> assertThat(second).contains("/basic-auth/consumers/0/password: "),
                        third -> assertThat(third).contains("/basic-auth/consumers/2/id: \"b:c\""));
    }

    /** The plugin is asked again without what it has objected to. */
    @Test
    void ofSettingsThatHaveNamesEachIsToldThatIsWrongByItself() {
        String needed = "\"issuer\": \"https://id.example\", \"proxy-pass-id\": \"p\", \"client-id\": \"c\","
                + " \"callback-url\": \"https://a.example/back\", \"session-secret\": \"an example of 32 characters, no secret\"";
        assertThat(problems("\"oidc\": { " + needed + ", \"session-lifetime\": \"8\", \"timeout\": \"5 s\","
                        + " \"after-logout-url\": \"a.example\", \"clock-skew\": \"1h\" }"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("/oidc/session-lifetime: \"8\""),
                        second -> assertThat(second).contains("/oidc/timeout: \"5 s\""),
                        third -> assertThat(third).contains("/oidc/after-logout-url: \"a.example\""),
                        fourth -> assertThat(fourth).contains("/oidc/clock-skew: \"1h\""));
        assertThat(problems(
                        "\"compression\": { \"when\": \"request.\", \"min-length\": \"x\", \"max-bodies\": \"y\" }"))
                .hasSize(3);
    }

    @Test
    void whatHangsOnAnotherIsNotBelieved() {
        // Without "regexp" the plugin would say of "to" that it has groups of none.
        assertThat(problems("\"redirect\": { \"regexp\": \"(\", \"to\": \"/$1\" }"))
                .singleElement()
                .asString()
                .contains("/redirect/regexp: ");
        // Nor without a key that is meant for it.
        assertThat(problems("\"redirect\": { \"pattern\": \"^/a/(.*)$\", \"to\": \"/b/$1\" }"))
                .singleElement()
                .asString()
                .contains("pattern");
        // Without the value the plugin would say of the field that it is of no value.
        assertThat(
                        problems(
                                "\"metadata\": { \"values\": { \"a\": \"x\\u0000\", \"b\": \"y\" }, \"fields\": { \"a\": \"X-A\" } }"))
                .hasSize(1);
    }

    /** It is looked at once the plugin is made, which it may never be. */
    @Test
    void theConditionIsToldWhateverElseIsWrong() {
        assertThat(problems("\"redirect\": { \"regexp\": \"(\", \"to\": \"/$1\", \"when\": \"request.\" }"))
                .as("what it can't do without")
                .satisfiesExactly(
                        first -> assertThat(first).contains("/redirect/regexp: "),
                        second -> assertThat(second).contains("/redirect/when: "));
        assertThat(problems("\"redirect\": { \"regexp\": \"^/a\", \"when\": \"request.\" }"))
                .as("what it lacks")
                .satisfiesExactly(
                        first -> assertThat(first).contains("\"to\""),
                        second -> assertThat(second).contains("/redirect/when: "));
        assertThat(problems("\"redirect\": { \"enable\": false, \"regexp\": \"^/a\", \"when\": \"request.\" }"))
                .as("one that isn't there")
                .hasSize(1);
    }

    private static List<String> problems(String plugins) {
        String json = """
                { "proxy-server": { "http": { "id": "web", "port": 8080 } },
                  "router": [ { "id": "all", "proxy-server-id": "web", "route": [
                    { "id": "r", "path": "/a", "proxy-pass-id": "p", "plugin": { %s } } ] } ],
                  "proxy-pass": [ { "id": "p", "upstream-id": "u" } ],
                  "upstream": [ { "id": "u", "nodes": [ { "url": "http://127.0.0.1:9" } ] } ] }
                """.formatted(plugins);
        ConfigResult result = new ConfigReader(CATALOG.composedSchema(), CATALOG)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        return ((ConfigResult.Invalid) result).text("sigma.json").lines().toList();
    }
}
