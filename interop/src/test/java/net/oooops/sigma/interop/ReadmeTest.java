package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that the README shows do what it shows. */
class ReadmeTest {
    private static final String CHECK = "$ ./sigma check -conf sigma.json\n";
    private static final String ASK = "$ curl http://127.0.0.1:8080/test/hello\n";
    private static final Pattern TRY = Pattern.compile("try +curl -i (http://\\S+)");
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private static String readme(String name) throws IOException {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("sigma"))) {
            here = Objects.requireNonNull(here.getParent(), "in no checkout");
        }
        return Files.readString(here.resolve(name));
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin) + begin.length();
        return text.substring(from, text.indexOf(end, from));
    }

    /** Does that to the end. */
    private Program.Ran done(String... words) {
        List<String> all =
                Stream.concat(Sigma.command().stream(), Stream.of(words)).toList();
        return Program.run(folder, Map.of(), DEADLINE, all);
    }

    private static String body(String url) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void itsProblemsAreThoseOfItsFileWithTwoSlips() throws IOException {
        String readme = readme("README.md");
        String json = between(readme, "```json\n", "```");
        String problems = between(readme, CHECK, "```");
        assertThat(readme("README_zh.md")).contains(json, problems);
        Path good = Files.writeString(folder.resolve("good.json"), json);
        Path slips = Files.writeString(
                folder.resolve("sigma.json"),
                json.replace("\"allow-method\"", "\"allow-metod\"").replace("\"10s\"", "\"10\""));

        Program.Ran fine = done("check", "-conf", good.toString());
        assertThat(fine.exit()).as(fine.tail()).isZero();
        Program.Ran wrong = done("check", "-conf", slips.toString());
        assertThat(wrong.exit()).as(wrong.tail()).isOne();
        assertThat(wrong.err().replace(folder + "/", "")).isEqualTo(problems);
    }

    @Test
    void whatIsBuiltInAnswersAsItShows() throws Exception {
        String readme = readme("README.md");
        Sigma sigma = Sigma.start(folder, "built-in", List.of());
        try (sigma) {
            Matcher url = TRY.matcher(sigma.out());
            assertThat(url.find()).as(sigma.out()).isTrue();
            assertThat(body(url.group(1)).strip())
                    .isEqualTo(between(readme, ASK, "```").strip());
        }
        assertThat(sigma.out()).contains("draining: ");
        assertThat(sigma.awaitEnd()).isZero();
    }

    @Test
    void withoutAFileAllGoesToOneNode() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("node " + request.target()))) {
            String to = "http://127.0.0.1:" + node.port();
            int port = FreePorts.one();
            try (Sigma _ = Sigma.start(folder, "to", List.of("--to", to, "--port", String.valueOf(port)))) {
                assertThat(body("http://127.0.0.1:" + port + "/a")).isEqualTo("node /a");
            }
            Path file = folder.resolve("first.json");
            Program.Ran init = done("init", "--to", to, "--host", "shop.example.com", "--out", file.toString());
            assertThat(init.exit()).as(init.tail()).isZero();
            assertThat(file).content().contains(to, "shop.example.com");
        }
    }

    @Test
    void itsVersionIsThatOfTheBuild() {
        Program.Ran version = done("version");
        assertThat(version.exit()).as(version.tail()).isZero();
        assertThat(version.out()).contains("sigma " + System.getProperty("sigma.interop.version"));
    }
}
