package net.oooops.sigma.plugins.authentication.keyauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyAuthTest {
    private static final String KEY = "0123456789abcdef";
    private static final String OTHER = "fedcba9876543210";
    /** Of "abcdefghijklmnop", by {@code sha256sum}. */
    private static final String HEX = "f39dac6cbaba535e2c207cd0cd8f154974223c848f727f98b3564cea569b41cf";

    private static final List<Map<String, Object>> CONSUMERS = List.of(
            Map.of("id", "ada", "keys", List.of(KEY, OTHER), "fields", Map.of("X-Consumer-Plan", "gold")),
            Map.of("id", "bob", "keys", List.of("sha256:" + HEX)));

    private final TestContext context = new TestContext();

    private PluginHarness harness(Object... settings) {
        Map<String, Object> all = new HashMap<>(Map.of("consumers", CONSUMERS));
        for (int i = 0; i < settings.length; i += 2) {
            all.put((String) settings[i], settings[i + 1]);
        }
        return PluginHarness.of(new KeyAuthFactory().create(Settings.of(all), context));
    }

    private static TestExchange with(String key) {
        return TestExchange.of("GET", "/a", "X-Api-Key: " + key, "Accept: *");
    }

    private static String consumer(TestExchange exchange) {
        return String.valueOf(exchange.consumer());
    }

    @Test
    void aKnownKeyIsItsConsumersAndHidden() throws Exception {
        for (String key : List.of(KEY, OTHER)) {
            TestExchange exchange = with(key);
            assertThat(harness().request(exchange)).isSameAs(Outcome.CONTINUE);
            assertThat(exchange.request().lines())
                    .containsExactlyInAnyOrder("Accept: *", "X-Consumer-Id: ada", "X-Consumer-Plan: gold");
        }
        TestExchange hashed = with("abcdefghijklmnop");
        assertThat(harness("hide-credentials", false).request(hashed)).isSameAs(Outcome.CONTINUE);
        assertThat(hashed.request().lines()).contains("X-Api-Key: abcdefghijklmnop", "X-Consumer-Id: bob");
    }

    @Test
    void noKeyIsRefusedAndPassesWhereItIsOptional() throws Exception {
        TestExchange refused = TestExchange.of("GET", "/a");
        assertThat(harness().request(refused)).isInstanceOf(Outcome.Respond.class);
        assertThat(refused.response().status()).isEqualTo(401);
        assertThat(refused.response().lines()).contains("WWW-Authenticate: ApiKey realm=\"sigma\"");
        assertThat(context.count("no-key")).isEqualTo(1);

        TestExchange passes = TestExchange.of("GET", "/a");
        assertThat(harness("optional", true).request(passes)).isSameAs(Outcome.CONTINUE);
        assertThat(passes.consumer()).isNull();
    }

    /** The hash is no key, nor is a key's beginning, nor a key with more behind it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0123456789abcdeg",
                "0123456789abcde",
                "0123456789abcdef0",
                "sha256:" + HEX,
                HEX,
                "0123456789ABCDEF",
                "x"
            })
    void anUnknownKeyIsRefusedThoughOptional(String key) throws Exception {
        TestExchange exchange = with(key);
        assertThat(harness("optional", true).request(exchange)).isInstanceOf(Outcome.Respond.class);
        assertThat(exchange.response().status()).isEqualTo(401);
        assertThat(context.count("unknown-key")).isEqualTo(1);
    }

    @Test
    void whatIsNoKeyIsRefusedUnread() throws Exception {
        for (String key : List.of(KEY + " " + KEY, "0123456789abcdéf", "x".repeat(513), "")) {
            TestExchange exchange = with(key);
            harness("optional", true).request(exchange);
            assertThat(exchange.response().status()).isEqualTo(401);
        }
        TestExchange twice = TestExchange.of("GET", "/", "X-Api-Key: " + KEY, "X-Api-Key: " + KEY);
        harness().request(twice);
        assertThat(twice.response().status()).isEqualTo(401);
        assertThat(context.count("malformed-key")).isEqualTo(5);
    }

    @Test
    void itMayStandElsewhere() throws Exception {
        PluginHarness harness = harness("from", List.of(Map.of("authorization", "ApiKey"), Map.of("query", "key")));
        TestExchange authorization = TestExchange.of("GET", "/?a=b", "Authorization: apikey " + KEY);
        assertThat(harness.request(authorization)).isSameAs(Outcome.CONTINUE);
        assertThat(authorization.request().lines())
                .containsExactlyInAnyOrder("X-Consumer-Id: ada", "X-Consumer-Plan: gold");
        TestExchange query = TestExchange.of("GET", "/?a=b&key=" + KEY);
        assertThat(harness.request(query)).isSameAs(Outcome.CONTINUE);
        assertThat(query.request().query()).isEqualTo("a=b");
        TestExchange field = with(KEY);
        harness.request(field);
        assertThat(field.response().status()).isEqualTo(401);
    }

    @Test
    void whomAPluginBeforeHasFoundPassesOnlyWhereThatIsSaid() throws Exception {
        TestExchange known = with("unknown-unknown-unknown").withConsumer(Consumer.of("cleo"));
        assertThat(harness("unless-known", true).request(known)).isSameAs(Outcome.CONTINUE);
        assertThat(consumer(known)).isEqualTo("cleo");
        TestExchange enforced = TestExchange.of("GET", "/").withConsumer(Consumer.of("cleo"));
        assertThat(harness().request(enforced)).isInstanceOf(Outcome.Respond.class);
    }

    @Test
    void aFileIsFollowed(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("keys");
        Files.writeString(file, "# ours\n\nada:sha256:" + HEX + "\n");
        Map<String, Object> settings = Map.of(
                "file",
                file.toString(),
                "consumers",
                List.of(Map.of("id", "ada", "fields", Map.of("X-Consumer-Plan", "b"))));
        PluginHarness harness = PluginHarness.of(new KeyAuthFactory().create(Settings.of(settings), context));
        try (Plugin plugin = harness.plugin()) {
            assertThat(plugin).isNotNull();
            TestExchange exchange = with("abcdefghijklmnop");
            assertThat(harness.request(exchange)).isSameAs(Outcome.CONTINUE);
            assertThat(exchange.request().lines()).contains("X-Consumer-Id: ada", "X-Consumer-Plan: b");

            write(file, "of:colons:" + HEX.toUpperCase(Locale.ROOT));
            assertThat(idOf(harness)).isEqualTo("ada");
            context.run("follow-file");
            assertThat(idOf(harness)).isEqualTo("of:colons");
            write(file, "ada:broken");
            context.run("follow-file");
            Files.delete(file);
            context.run("follow-file");
            assertThat(idOf(harness)).isEqualTo("of:colons");
            write(file, "eve:" + HEX);
            context.run("follow-file");
            assertThat(idOf(harness)).isEqualTo("eve");
        }
    }

    /** So is one that is being written anew. Who means that nobody may come in says so by a comment. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\n", " \r\n"})
    void anEmptyFileLeavesTheOneBefore(String empty, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), empty);
        assertThatThrownBy(() -> harness("file", file.toString()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/file"))
                .hasMessageContaining("a line at least");
        write(file, "ada:" + HEX);
        PluginHarness harness = harness("file", file.toString(), "consumers", List.of(Map.of("id", "ada")));
        try (Plugin plugin = harness.plugin()) {
            assertThat(plugin.needs().request()).isTrue();
            write(file, empty);
            context.run("follow-file");
            assertThat(idOf(harness)).isEqualTo("ada");
            write(file, "# nobody");
            context.run("follow-file");
            assertThat(idOf(harness)).isEqualTo("null");
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path next = file.resolveSibling("next");
        Files.writeString(next, text);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String idOf(PluginHarness harness) {
        TestExchange exchange = with("abcdefghijklmnop");
        try {
            harness.request(exchange);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return consumer(exchange);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada", "ada:", ":" + HEX, "ada:" + KEY, "sha256:" + HEX + ":", "ada:x" + HEX, HEX})
    void aFileThatCannotBeUsedIsAProblemThatShowsNoKey(String line, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), "\n" + line);
        assertThatThrownBy(() -> harness("file", file.toString()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/file"))
                .hasMessageContaining("line 2")
                .hasMessageNotContaining(KEY)
                .hasMessageNotContaining(HEX);
    }

    @Test
    void problemsNameTheirPlaceAndShowNoKey() {
        assertProblem(Map.of("id", "a", "keys", List.of("short")), "/consumers/0/keys/0", "16 to 512");
        assertProblem(Map.of("id", "a", "keys", List.of("with spaces in the key")), "/consumers/0/keys/0", "visible");
        assertProblem(Map.of("id", "a", "keys", List.of("sha256:abcdef0123456789")), "/consumers/0/keys/0", "64 hexa");
        assertProblem(Map.of("id", "a", "keys", List.of(KEY, KEY)), "/consumers/0/keys/1", "nobody's yet; a has it");
        assertProblem(Map.of("id", " a"), "/consumers/0/id", "stand in a field");
        assertProblem(Map.of("id", "a", "fields", Map.of("X-Plan", "b")), "/consumers/0/fields/X-Plan", "X-Consumer-");
        assertProblem(
                Map.of("id", "a", "fields", Map.of("x-consumer-id", "b")),
                "/consumers/0/fields/x-consumer-id",
                "other than");
        assertThatThrownBy(() -> harness("consumers", List.of(Map.of("id", "a"), Map.of("id", "a"))))
                .hasMessageContaining("no other consumer has");
        assertThatThrownBy(() -> harness("realm", "a\nb")).hasMessageContaining("/realm");
    }

    private void assertProblem(Map<String, ?> consumer, String pointer, String message) {
        assertThatThrownBy(() -> harness("consumers", List.of(consumer)))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(message)
                .hasMessageNotContaining(KEY);
    }
}
