package net.oooops.sigma.plugins.rewritepath;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.route.PathNormalizer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

/** The literal form gives what the regexp gives, and both give what the JDK's own replaceFirst gives, in a path's form. */
class LiteralEquivalenceTest {
    private static final int RULES = 4_000;
    private static final int PATHS_PER_RULE = 25;
    private static final String FAILED = "failed";
    private static final List<String> ENDINGS = List.of(
            "", "(.*)", "(.*)$", "/?", "/?(.*)", "/?(.*)$", "(/.*)", "(/.*)$", "/", "/(.*)", ".*", "$", "x?", "+");
    private static final List<String> SEGMENTS =
            List.of("a", "b", "ab", "a.b", "..b", "...", "a%20", ".", "..", "-", "+$");
    private static final List<String> HEADS =
            List.of("", "/", "/x", "/x/", "x", "/x//", "//", "/..", "/.", "/x/.", "\\$");

    private final Random random = new Random(20260518);

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    private String text(boolean normalised) {
        StringBuilder text = new StringBuilder();
        int segments = random.nextInt(3);
        for (int i = 0; i <= segments; i++) {
            String segment = pick(SEGMENTS);
            boolean isDots = segment.equals(".") || segment.equals("..");
            text.append('/').append(normalised && isDots ? "a" : segment);
        }
        return text.append(random.nextInt(4) == 0 ? "/" : "").toString();
    }

    private String quoted(String text) {
        if (random.nextBoolean()) {
            return Pattern.quote(text);
        }
        StringBuilder quoted = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean mustEscape = ".+$%-/".indexOf(c) >= 0 && (".+$".indexOf(c) >= 0 || random.nextInt(5) == 0);
            quoted.append(mustEscape ? "\\" : "").append(c);
        }
        return quoted.toString();
    }

    private static String run(Plugin plugin, String path) {
        TestExchange exchange = TestExchange.of("GET", path);
        try {
            PluginHarness.of(plugin).request(exchange);
            byte[] made = exchange.request().path().getBytes(US_ASCII);
            PathNormalizer normalizer = new PathNormalizer();
            int length = normalizer.normalizeRewritten(made, 0, made.length);
            return length < 0 ? FAILED : new String(normalizer.bytes(), 0, length, US_ASCII);
        } catch (Exception e) {
            return FAILED;
        }
    }

    private static String reference(String regexp, String replacement, String path) {
        if (!Pattern.compile(regexp).matcher(path).find()) {
            return path;
        }
        String result = ("/" + path.replaceFirst(regexp, replacement)).replaceAll("/+", "/");
        return result.matches("(.*/)?\\.\\.?(/.*)?") ? FAILED : result;
    }

    @Test
    void theLiteralFormGivesWhatTheRegexpGives() {
        int literals = 0;
        int rewritten = 0;
        for (int rule = 0; rule < RULES; rule++) {
            String prefix = text(random.nextInt(3) > 0);
            String ending = pick(ENDINGS);
            String regexp = "^" + quoted(prefix) + ending;
            String replacement = pick(HEADS) + (ending.contains("(") ? "$1" : "");
            Pattern pattern = Pattern.compile(regexp);
            Template template = Template.of(Settings.of(replacement), pattern);
            Plugin general = new RegexpRewrite(pattern, template, Outcome.CONTINUE);
            Plugin chosen = new RewritePathFactory()
                    .create(Settings.of(Map.of("regexp", regexp, "replacement", replacement)), new TestContext());
            literals += chosen instanceof PrefixRewrite ? 1 : 0;
            for (String path : paths(prefix)) {
                String expected = reference(regexp, replacement, path);
                rewritten += expected.equals(path) ? 0 : 1;
                assertThat(run(general, path))
                        .as("%s -> %s on %s", regexp, replacement, path)
                        .isEqualTo(expected);
                assertThat(run(chosen, path))
                        .as("%s -> %s on %s", regexp, replacement, path)
                        .isEqualTo(expected);
            }
        }
        assertThat(literals).as("rules that are literal").isGreaterThan(RULES / 3);
        assertThat(rewritten).as("paths that match").isGreaterThan(RULES * PATHS_PER_RULE / 4);
    }

    /** Normalised paths, most of them beginning with that prefix or almost. */
    private List<String> paths(String prefix) {
        List<String> paths = new ArrayList<>();
        List<String> tails = List.of("", "/", ".", "..", "/a", "./a", "../a", "..b", "x", "/a/b", "/..b", "/.b/");
        while (paths.size() < PATHS_PER_RULE) {
            String path = random.nextInt(4) == 0 ? text(true) : prefix + pick(tails);
            boolean normalised = !path.contains("//") && !PathForm.hasDotSegmentInside(path + "/");
            paths.add(normalised ? path : text(true));
        }
        return paths;
    }
}
