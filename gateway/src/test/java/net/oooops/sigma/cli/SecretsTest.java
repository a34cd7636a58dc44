package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Secrets in all places that take one, and whatever a gateway and its commands show: none is in it. */
@Isolated("the log")
@DisabledOnOs(OS.WINDOWS)
class SecretsTest {
    /** A part of each of them. */
    private static final String PART = "Hunter2";

    private static final String HEX = HexFormat.of().formatHex(PART.getBytes(StandardCharsets.UTF_8));

    private static final Pattern ADMIN = Pattern.compile("admin +(http://[^ ]+)");

    private static final String JSON = """
            {
              "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}, "admin": {"port": 0}},
              "router": [{
                "id": "r",
                "proxy-server-id": "s",
                "plugin": {"headers": {
                  "request": {
                    "set": {"User-Agent": {"$file": "set"}, "Referer": {"$file": "set"}, "X-Set": {"$file": "set"}},
                    "add": {"X-Add": [{"$file": "add"}, "b"]}
                  },
                  "response": {"set": {"X-Sigma": {"$file": "set"}}}
                }},
                "route": [
                  {"id": "a", "path": "/a", "header": [{"name": "x-token", "exact": {"$file": "exact"}}], "proxy-pass-id": "p"},
                  {"id": "b", "path": "/a", "query": [{"name": "token", "prefix": {"$file": "prefix"}}], "proxy-pass-id": "p"},
                  {"id": "c", "path": "/a", "header": [{"name": "x-token", "regexp": {"$file": "regexp"}}], "proxy-pass-id": "p"},
                  {"id": "d", "path": "/*", "proxy-pass-id": "p"}
                ]
              }],
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [
                {"id": "u", "nodes": ["http://127.0.0.1:PORT"], "sticky": {"key": {"$file": "key"}}},
                {"id": "v", "nodes": ["tcp://127.0.0.1:1"],
                  "health": {"active": {"interval": "1s", "tcp": {"send": {"$file": "send"}, "expect": {"$file": "expect"}}}}}
              ],
              "plugins": {"log-config": {"format": "json", "file": "access.log"}}
            }
            """;

    @TempDir
    private Path folder;

    private final StringBuilder shown = new StringBuilder();

    private void secrets(String end) throws IOException {
        for (String name : List.of("set", "add", "exact", "prefix", "regexp", "key", "send", "expect")) {
            Files.writeString(folder.resolve(name), PART + "-" + name + "-of-this-test" + end);
        }
    }

    /** What a command says is shown, too. */
    private String say(String... words) {
        Shell shell = new Shell();
        Main.execute(words, shell.terminal());
        shown.append(shell.out());
        return shell.out();
    }

    private String ask(String... words) {
        List<String> all = Stream.concat(Stream.of(words), Stream.of("--run-dir", runDir().toString()))
                .toList();
        return say(all.toArray(String[]::new));
    }

    private Path runDir() {
        return folder.resolve("run");
    }

    private static String get(String url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                    .body();
        }
    }

    private static String admin(Running running) {
        Matcher matcher = ADMIN.matcher(running.shell().out());
        assertThat(matcher.find()).as(running.shell()::out).isTrue();
        return matcher.group(1);
    }

    private void requireHidden(String text) {
        assertThat(text.toLowerCase(Locale.ROOT)).doesNotContain(PART.toLowerCase(Locale.ROOT), HEX);
    }

    @Test
    void nothingThatIsShownHasOne() throws Exception {
        secrets("");
        try (LoggedLines log = new LoggedLines("net.oooops.sigma");
                ScriptedUpstream node = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .respond(Answer.ok("first"))
                        .readRequest()
                        .respond(Answer.ok("second")))) {
            Path conf =
                    Files.writeString(folder.resolve("sigma.json"), JSON.replace("PORT", String.valueOf(node.port())));
            try (Running running = Running.start(
                    new RunWords(RunWords.VERTICLE, List.of(conf), null, 1, runDir(), false, FirstWords.NONE))) {
                serve(running, node);
                follow(conf);
                Await.until("a check", () -> ask("status").contains("down"));
                String url = admin(running);
                shown.append(get(url + "/metrics")).append(get(url + "/nodes"));
                assertThat(shown).contains("sigma_", "\"upstreams\"");
                shown.append(running.shell().out()).append(running.shell().err());
            }
            log.lines().forEach(line -> shown.append(line).append('\n'));
        }
        shown.append(Files.readString(folder.resolve("access.log")));
        assertThat(shown).contains("\"user_agent\":\"raw\"");
        requireHidden(shown.toString());
        kept();
    }

    /** What is asked for, and what it is used for: the node gets it. */
    private void serve(Running running, ScriptedUpstream node) throws Exception {
        try (RawClient client = RawClient.connect(running.port())) {
            String head = "Host: a\r\nUser-Agent: raw\r\nX-Token: wrong\r\n\r\n";
            assertThat(client.send("GET /a HTTP/1.1\r\n" + head).readResponse().bodyText())
                    .isEqualTo("first");
            assertThat(client.send("GET /b HTTP/1.1\r\n" + head).readResponse().bodyText())
                    .isEqualTo("second");
        }
        assertThat(node.requests().getFirst().head()).contains("X-Set: " + PART + "-set-of-this-test");
    }

    private void follow(Path conf) throws IOException {
        String file = conf.toString();
        say("check", "-conf", file);
        String missed = say("explain", "-conf", file, "GET", "http://127.0.0.1:1/a", "-H", "X-Token: wrong");
        assertThat(missed).contains("(secret)");
        ask("status");
        ask("status", "--json");
        secrets("-later");
        ask("diff", "-conf", file);
        ask("diff", "-conf", file, "--json");
        assertThat(ask("reload")).containsPattern("configuration [0-9]+ holds");
        Files.writeString(folder.resolve("set"), PART + "\u0001");
        Files.writeString(folder.resolve("key"), PART);
        Files.writeString(folder.resolve("regexp"), PART + "(");
        assertThat(ask("reload")).contains("(secret)").doesNotContain("holds");
        assertThat(ask("diff", "-conf", file)).contains("(secret)");
        assertThat(say("explain", "-conf", file, "GET", "http://127.0.0.1:1/a")).contains("(secret)");
        secrets("-last");
        ask("history");
        ask("history", "--json");
        assertThat(ask("rollback", "1")).containsPattern("configuration [0-9]+ holds");
    }

    private void kept() throws IOException {
        try (Stream<Path> all = Files.walk(runDir())) {
            List<Path> files = all.filter(Files::isRegularFile).toList();
            assertThat(files).isNotEmpty();
            for (Path each : files) {
                requireHidden(Files.readString(each, StandardCharsets.ISO_8859_1));
            }
        }
    }
}
