package net.oooops.sigma.config.changes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;

class ConfigDiffTest {
    private static final String SHOP = """
            {
              "proxy-server": {
                "http": [{"id": "public", "port": 8080, "plugin": {"x-frame": "DENY"}}],
                "tcp": [{"id": "db", "port": 5432, "proxy-pass-id": "to-db"}]
              },
              "router": [{"id": "r", "proxy-server-id": "public", "route": [
                {"id": "a", "path": "/a/*", "proxy-pass-id": "p"},
                {"id": "b", "path": "/b/*", "proxy-pass-id": "p"}
              ]}],
              "proxy-pass": [{"id": "p", "upstream-id": "api"}, {"id": "to-db", "upstream-id": "db"}],
              "upstream": [
                {"id": "api", "nodes": ["http://10.0.0.7", "http://10.0.0.8"]},
                {"id": "db", "nodes": ["tcp://10.0.1.1:5432"]}
              ]
            }
            """;

    private final ConfigReader reader =
            new ConfigReader(new PluginCatalog(ConfigDiffTest.class.getClassLoader()).schemas());

    private SigmaConfig read(String json) {
        ConfigResult result = reader.read(json.getBytes(UTF_8), Path.of("/etc/sigma"));
        assertThat(result).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result).config();
    }

    private Changes from(String before, String after) {
        SigmaConfig started = read(before);
        return ConfigDiff.between(started, read(after), started.runtime());
    }

    @Test
    void nothingChangesByItself() {
        Changes changes = from(SHOP, SHOP);
        assertThat(changes.isNothing()).isTrue();
        assertThat(changes.text()).isEqualTo("nothing changes\n");
        assertThat(changes.upstreams().keptCount()).isEqualTo(2);
    }

    @Test
    void whereThingsStandIsNoChange() {
        assertThat(from(SHOP, "\n\n  " + SHOP.replace("\"plugin\":", "\n  \"plugin\":  "))
                        .isNothing())
                .isTrue();
    }

    @Test
    void upstreamsAndTheirNodes() {
        String after = SHOP.replace(
                        "{\"id\": \"api\", \"nodes\": [\"http://10.0.0.7\"",
                        "{\"id\": \"shop\", \"nodes\": [\"http://10.0.3.1\"]},"
                                + "{\"id\": \"api\", \"rule-strategy\": \"random\", \"nodes\": [\"http://10.0.0.9\"")
                .replace("\"http://10.0.0.8\"", "{\"url\": \"http://10.0.0.8\", \"weight\": 5}")
                .replace("\"p\", \"upstream-id\": \"api\"", "\"p\", \"upstream-id\": \"shop\"");
        Changes changes = from(
                SHOP,
                after.replace("{\"id\": \"to-db\"", "{\"id\": \"q\", \"upstream-id\": \"api\"}, {\"id\": \"to-db\""));
        assertThat(changes.text()).isEqualTo("""
                        proxy-passes: 1 added (q), 1 changed (p: upstream-id), 1 kept
                        upstreams: 1 added (shop), 1 changed (api: rule-strategy, +1 node 10.0.0.9:80, -1 node 10.0.0.7:80, node 10.0.0.8:80), 1 kept
                        nodes: 2 added (shop/10.0.3.1:80, api/10.0.0.9:80), 1 changed (api/10.0.0.8:80: weight), 1 removed (api/10.0.0.7:80), 1 kept
                        """);
        assertThat(changes.restart()).isEmpty();
    }

    @Test
    void listenersRoutesAndPlugins() {
        String after = SHOP.replace(
                        "8080, \"plugin\": {\"x-frame\": \"DENY\"}", "8081, \"plugin\": {\"x-frame\": \"SAMEORIGIN\"}")
                .replace(
                        "{\"id\": \"b\", \"path\": \"/b/*\"",
                        "{\"id\": \"c\", \"plugin\": {\"hsts\": {}}, \"path\": \"/c/*\"")
                .replace("\"/a/*\"", "\"/aa/*\"");
        assertThat(from(SHOP, after).text()).isEqualTo("""
                        listeners: 1 changed (public: port, plugin), 1 kept
                        routes: 1 added (r/c), 1 changed (r/a: path), 1 removed (r/b)
                        plugins: 1 added (route r/c / hsts), 1 changed (listener public / x-frame)
                        """);
    }

    @Test
    void theOrderOfRoutesIsTheirRouters() {
        String a = "{\"id\": \"a\", \"path\": \"/a/*\", \"proxy-pass-id\": \"p\"}";
        String b = "{\"id\": \"b\", \"path\": \"/b/*\", \"proxy-pass-id\": \"p\"}";
        String after = SHOP.replace(a, "A").replace(b, a).replace("A", b);
        assertThat(from(SHOP, after).text()).isEqualTo("routers: 1 changed (r: order)\n");
    }

    @Test
    void settingsOfTheProcessTakeARestart() {
        String after = SHOP.replaceFirst(
                "\\{",
                "{\"runtime\": {\"transport\": \"nio\", \"relay-memory\": \"8MiB\"},"
                        + " \"proxy-client\": {\"max-wait-queue\": 7},");
        Changes changes = from(SHOP, after);
        assertThat(changes.restart()).containsExactly("runtime.transport", "runtime.relay-memory");
        assertThat(changes.text())
                .contains("settings: 3 changed (proxy-client.max-wait-queue, runtime.transport, runtime.relay-memory),")
                .endsWith("takes a restart: runtime.transport, runtime.relay-memory\n");
    }

    @Test
    void whatTakesARestartIsMeasuredByTheStart() {
        SigmaConfig started = read(SHOP);
        SigmaConfig nio = read(SHOP.replaceFirst("\\{", "{\"runtime\": {\"transport\": \"nio\"},"));
        Changes still = ConfigDiff.between(nio, nio, started.runtime());
        assertThat(still.isNothing()).isTrue();
        assertThat(still.text()).isEqualTo("nothing changes\ntakes a restart: runtime.transport\n");
        Changes back = ConfigDiff.between(nio, started, started.runtime());
        assertThat(back.restart()).isEmpty();
        assertThat(back.text()).startsWith("settings: 1 changed (runtime.transport), ");
    }

    @Test
    void secretsAreNotShown() {
        String sticky = "\"sticky\": {\"key\": \"%s, which nobody else knows\"}, \"nodes\": [\"http://10.0.0.7\"";
        String before = SHOP.replace("\"nodes\": [\"http://10.0.0.7\"", sticky.formatted("secret"));
        String after = SHOP.replace("\"nodes\": [\"http://10.0.0.7\"", sticky.formatted("hidden"));
        Changes changes = from(before, after);
        assertThat(changes.text()).isEqualTo("upstreams: 1 changed (api: sticky), 1 kept\n");
        assertThat(changes.json().toString()).doesNotContain("hidden", "secret");
    }

    @Test
    void aCertificateThatIsMadeAtEachStartIsTheSame() {
        String json = "{\"proxy-server\": {\"https\": {\"id\": \"s\", \"port\": 8443}}}";
        Changes changes = from(json, json);
        assertThat(changes.isNothing()).as(changes.text()).isTrue();
        assertThat(changes.certificates().keptCount()).isOne();
    }

    @Test
    void manyNamesAreCounted() {
        StringBuilder nodes = new StringBuilder();
        for (int i = 0; i < 25; i++) {
            nodes.append("\"http://10.0.9.").append(i).append("\", ");
        }
        String after = SHOP.replace("[\"http://10.0.0.7\"", "[" + nodes + "\"http://10.0.0.7\"");
        assertThat(from(SHOP, after).text())
                .contains("api: +25 nodes 10.0.9.0:80, ")
                .contains(", 10.0.9.9:80 and 15 more), 1 kept");
    }

    /** Whatever a configuration says is compared: none that says something else is taken for the same. */
    @Test
    void everythingIsCompared() throws IOException {
        List<String> missed = new ArrayList<>();
        int compared = 0;
        for (Path file : files()) {
            if (reader.read(file) instanceof ConfigResult.Valid valid) {
                SigmaConfig config = valid.config();
                Map<String, SigmaConfig> all = Mutations.all(config);
                compared += all.size();
                all.forEach((path, other) -> {
                    boolean same =
                            ConfigDiff.between(config, other, config.runtime()).isNothing();
                    missed.addAll(same ? List.of(file.getFileName() + path) : List.of());
                });
            }
        }
        assertThat(missed).isEmpty();
        assertThat(compared).isGreaterThan(1000);
    }

    private static List<Path> files() throws IOException {
        Path golden = Path.of("src/test/resources/net/oooops/sigma/config/golden/everything.json");
        Path examples =
                Objects.requireNonNull(Path.of("").toAbsolutePath().getParent()).resolve("examples");
        try (Stream<Path> all = Files.list(examples)) {
            return Stream.concat(
                            Stream.of(golden.toAbsolutePath()),
                            all.filter(file -> file.toString().endsWith(".json"))
                                    .sorted())
                    .toList();
        }
    }
}
