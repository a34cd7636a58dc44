package net.oooops.sigma.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/**
 * The table of {@code docs/guide/admin.md} has what is served, with names, types, labels and descriptions. With {@code
 * -Dreference.write=true} it is written anew.
 */
class MetricsGuideTest {
    private static final String BEGIN = "<!-- metrics:begin -->\n";
    private static final String END = "<!-- metrics:end -->\n";
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

    private static Path guide() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("docs/guide"))) {
            here = Objects.requireNonNull(here.getParent(), "a checkout");
        }
        return here.resolve("docs/guide/admin.md");
    }

    private static Scrape everything() throws IOException {
        long often = TimeUnit.MILLISECONDS.toNanos(50);
        ActiveCheckConfig checks = new ActiveCheckConfig(
                new ActiveCheckConfig.Tcp("", ""), 0, new ActiveCheckConfig.Rhythm(often, often, often * 20, 0), 1, 1);
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("ip-restriction", Map.of("deny", List.of("192.0.2.1")))
                        .breaker("requestsMax", 100)
                        .checked(checks)
                        .admin()
                        .encrypted()
                        .plugin("rewrite-path", Map.of("regexp", "^/", "replacement", "/a", "mode", "shadow"))
                        .plugin("static-resources", Map.of("root", ".", "missing", "pass"))
                        .start();
                Redis _ = gateway.redis().open("limits");
                RawClient client =
                        RawClient.connect(gateway.port(), ClientOptions.defaults(), Encryption.SHARED::wrap)) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            return Await.value(
                    "all metrics",
                    () -> Scrape.of(gateway),
                    scrape -> scrape.types().containsKey("sigma_node_check_seconds"));
        }
    }

    private static String table(Scrape scrape) {
        Map<String, Set<String>> labels = new TreeMap<>();
        for (String series : scrape.values().keySet()) {
            String name = series.replaceFirst("\\{.*", "");
            String family = scrape.types().containsKey(name) ? name : name.replaceFirst("_(bucket|sum|count)$", "");
            Set<String> ofFamily = labels.computeIfAbsent(family, each -> new TreeSet<>());
            Matcher matcher = LABEL.matcher(series);
            while (matcher.find()) {
                ofFamily.add(matcher.group(1));
            }
            ofFamily.remove("le");
        }
        StringBuilder table = new StringBuilder("| metric | type | labels | meaning |\n|---|---|---|---|\n");
        labels.forEach((family, names) -> table.append("| `")
                .append(family)
                .append("` | ")
                .append(scrape.types().get(family))
                .append(" | ")
                .append(names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(" ")))
                .append(" | ")
                .append(scrape.helps().get(family))
                .append(" |\n"));
        return table.toString();
    }

    @Test
    void theGuideHasWhatIsServed() throws IOException {
        String table = table(everything());
        String text = Files.readString(guide());
        int begin = text.indexOf(BEGIN) + BEGIN.length();
        int end = text.indexOf(END);
        if (Boolean.getBoolean("reference.write")) {
            Files.writeString(guide(), text.substring(0, begin) + table + text.substring(end));
        } else {
            assertThat(text.substring(begin, end)).isEqualTo(table);
        }
    }

    @Test
    void nothingIsLeftOut() throws IOException {
        Set<String> served = everything().types().keySet();
        List<String> expected = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            String end = switch (metric.kind()) {
                case COUNTER -> "_total";
                case CONSTANT -> "_info";
                case GAUGE, HISTOGRAM -> "";
            };
            expected.add(metric.metric() + end);
        }
        for (Counter counter : Counter.values()) {
            if (!counter.name().matches("REQUESTS_.XX")) {
                expected.add(Sheet.name(counter) + (counter.kind() == Counter.Kind.TOTAL ? "_total" : ""));
            }
        }
        assertThat(served).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(Arrays.stream(Metric.values()).map(Metric::description))
                .allMatch(text -> text.endsWith(".") && !text.contains("|"));
    }
}
