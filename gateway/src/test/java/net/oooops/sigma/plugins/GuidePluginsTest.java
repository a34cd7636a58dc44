package net.oooops.sigma.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.Problem;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What the guide shows of plugins can be written so: its settings are valid, and where they name no files the plugins take them. */
class GuidePluginsTest {
    private static final PluginCatalog CATALOG = new PluginCatalog(GuidePluginsTest.class.getClassLoader());
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> PAGES = List.of(
            "authentication",
            "content",
            "http2",
            "limits",
            "plugins",
            "protecting",
            "routing",
            "sessions",
            "tls",
            "traffic",
            "transforming");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```json\n(.*?)^```");
    private static final Pattern SECRET = Pattern.compile("\\{\"\\$(env|file)\":\"[^\"]*\"}");
    private static final Pattern FILE = Pattern.compile("\"(file|root|jwks-file)\":\"");
    private static final Pattern PASS = Pattern.compile("\"proxy-pass-id\": \"([^\"]+)\"");

    private static Path guide() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("sigma"))) {
            here = Objects.requireNonNull(here.getParent(), "in no checkout");
        }
        return here.resolve("docs/guide");
    }

    @TestFactory
    Stream<DynamicTest> whatIsShownIsValid() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (String page : PAGES) {
            String text = Files.readString(guide().resolve(page + ".md"));
            for (MatchResult block : BLOCK.matcher(text).results().toList()) {
                long line = text.substring(0, block.start()).lines().count() + 1;
                JsonNode shown = read(block.group(1));
                String whole = shown instanceof ObjectNode object ? whole(object) : "";
                // Three dots stand for what a reader has to fill in.
                if (!whole.isEmpty() && !whole.contains("…")) {
                    tests.add(dynamicTest(page + ".md:" + line, () -> check(whole)));
                }
            }
        }
        assertThat(tests).hasSizeGreaterThan(30);
        return tests.stream();
    }

    private static JsonNode read(String block) throws JsonProcessingException {
        return MAPPER.readTree(block.strip().startsWith("\"") ? "{" + block + "}" : block);
    }

    /** A configuration with that in it; empty where it is about something else. */
    private static String whole(ObjectNode shown) {
        if (shown.has("router") && shown.has("proxy-pass")) {
            return shown.toString();
        }
        if (shown.has("path") && shown.has("plugin")) {
            return around(shown);
        }
        JsonNode plugins = shown.has("plugin") ? shown.get("plugin") : shown;
        Set<String> names = new TreeSet<>();
        plugins.fieldNames().forEachRemaining(names::add);
        names.removeAll(CATALOG.schemas().keySet());
        boolean isOfSessions = plugins.has("connection-rate");
        if (!names.isEmpty() || plugins.isEmpty() || isOfSessions) {
            return "";
        }
        ObjectNode route = MAPPER.createObjectNode();
        route.put("id", "shown").put("path", "/shown/:shop/:id/*").put("proxy-pass-id", "here");
        route.set("plugin", plugins);
        return around(route);
    }

    private static String around(ObjectNode route) {
        ObjectNode root = MAPPER.createObjectNode();
        root.putObject("proxy-server").putObject("http").put("id", "web").put("port", 8080);
        ObjectNode router = root.putArray("router").addObject();
        router.put("id", "r").put("proxy-server-id", "web").putArray("route").add(route);
        ArrayNode passes = root.putArray("proxy-pass");
        Set<String> ids = new TreeSet<>();
        PASS.matcher(MAPPER.createObjectNode().set("of", route).toString().replace("\":\"", "\": \""))
                .results()
                .forEach(found -> ids.add(found.group(1)));
        ids.forEach(id -> passes.addObject().put("id", id).put("upstream-id", "up"));
        ObjectNode upstream = root.putArray("upstream").addObject();
        upstream.put("id", "up").putArray("nodes").add("http://127.0.0.1:9001");
        root.putArray("redis").addObject().put("id", "limits").putArray("nodes").add("127.0.0.1:6379");
        return root.toString();
    }

    private static void check(String shown) {
        String json = SECRET.matcher(shown).replaceAll("\"a secret of as many characters as it takes\"");
        boolean namesFiles = FILE.matcher(json).find();
        ConfigReader reader = namesFiles
                ? new ConfigReader(CATALOG.schemas())
                : new ConfigReader(CATALOG.composedSchema(), CATALOG::tryOut);
        ConfigResult result =
                reader.read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        List<Problem> problems = result instanceof ConfigResult.Invalid invalid ? invalid.problems() : List.of();
        assertThat(problems)
                .filteredOn(problem -> !problem.found().endsWith("which is not there"))
                .isEmpty();
    }
}
