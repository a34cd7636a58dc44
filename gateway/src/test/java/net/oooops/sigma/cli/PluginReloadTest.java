package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.DroppedPlugin;
import net.oooops.sigma.JarOf;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A running gateway takes plugins from jars, and others when these change. */
@DisabledOnOs(OS.WINDOWS)
class PluginReloadTest {
    private static final String LOADER = "sigma.test.loader";
    private static final String GO_ON = "sigma.test.go-on";
    private static final String JSON = """
            {
              "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0, "plugin": {"hello": {}}}},
              "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}]
            }
            """;

    /** Tells its loader, and takes nothing over. */
    private static final String TELLING = """
            public void takeOver(Plugin before) { throw new IllegalStateException("taken over"); }
            public void start() {
                System.getProperties().put("sigma.test.loader", new java.lang.ref.WeakReference<Object>(Hello.class.getClassLoader()));
            }
            """;

    @TempDir
    private Path folder;

    private Path plugins;

    @BeforeEach
    void makeFolder() throws IOException {
        plugins = Files.createDirectory(folder.resolve("plugins"));
        Files.writeString(folder.resolve("sigma.json"), JSON);
    }

    private Running run(boolean watch) {
        return Running.start(new RunWords(
                RunWords.VERTICLE,
                List.of(folder.resolve("sigma.json")),
                null,
                1,
                folder.resolve("run"),
                watch,
                FirstWords.NONE,
                plugins,
                null));
    }

    private SteeringTest.Said say(String... words) {
        return SteeringTest.say(folder.resolve("run"), words);
    }

    private void write(String text) {
        telling(text).write(plugins.resolve("hello.jar"));
    }

    private static JarOf telling(String text) {
        return new JarOf()
                .source(DroppedPlugin.source("hello", '"' + text + '"')
                        .replace("public Needs needs()", TELLING + "public Needs needs()"))
                .factories("com.example.Hello");
    }

    private static String get(RawClient client) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").readResponse().bodyText();
    }

    private static String get(Running running) throws IOException {
        try (RawClient client = RawClient.connect(running.port())) {
            return get(client);
        }
    }

    private static String unchecked(Running running) {
        try {
            return get(running);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked") // as the plugin put it there
    private static WeakReference<Object> loader() {
        return (WeakReference<Object>)
                Objects.requireNonNull(System.getProperties().remove(LOADER));
    }

    @Test
    void theyAnswerAndAreListed() throws Exception {
        write("one");
        try (Running running = run(false)) {
            assertThat(get(running)).isEqualTo("one");
            assertThat(running.shell().out()).contains("\n  plugins     hello (" + plugins + "/hello.jar)\n");
            assertThat(say("status").out())
                    .containsPattern("\n {2}plugins {8}hello \\(" + plugins + "/hello\\.jar, sha256 [0-9a-f]{12}\\)\n");
            JsonNode json = new ObjectMapper().readTree(say("status", "--json").out());
            assertThat(json.at("/plugins/0/plugins/0").textValue()).isEqualTo("hello");
            assertThat(json.at("/plugins/0/from").textValue()).isEqualTo(plugins + "/hello.jar");
            assertThat(json.at("/plugins/0/sha256/0").textValue()).hasSize(64);
        }
    }

    @Test
    void aReloadTakesJarsThatChangedAndTheOldOnesAreLetGoOf() throws Exception {
        write("one");
        try (Running running = run(false);
                RawClient client = RawClient.connect(running.port())) {
            assertThat(get(client)).isEqualTo("one");
            WeakReference<Object> one = loader();
            write("two");

            SteeringTest.Said said = say("reload");

            assertThat(said.err()).isEmpty();
            assertThat(said.out())
                    .contains("configuration 1 holds")
                    .endsWith("\nplugins of " + plugins + "/hello.jar (hello): the jar has changed\n");
            // Without a request more: what is kept to be used again holds it no longer either.
            Await.until("the old loader is unreachable", () -> {
                System.gc();
                return one.refersTo(null);
            });
            assertThat(get(client)).isEqualTo("two");
            WeakReference<Object> two = loader();
            assertThat(say("reload").out()).endsWith("\nnothing changes\n");
            assertThat(two.refersTo(null)).isFalse();
            assertThat(get(client)).isEqualTo("two");
        }
    }

    @Test
    void whatCanNotBeUsedIsRefusedAndAllStaysAsItWas() throws Exception {
        write("one");
        try (Running running = run(false)) {
            new JarOf().factories("com.example.Hello").write(plugins.resolve("hello.jar"));
            SteeringTest.Said broken = say("reload");
            assertThat(broken.exitCode()).isOne();
            assertThat(broken.err()).contains(plugins + "/hello.jar: ");
            assertThat(get(running)).isEqualTo("one");

            Files.delete(plugins.resolve("hello.jar"));
            SteeringTest.Said gone = say("reload");
            assertThat(gone.exitCode()).isOne();
            assertThat(gone.err()).contains("unknown key \"hello\"");
            assertThat(get(running)).isEqualTo("one");

            write("two");
            assertThat(say("reload").exitCode()).isZero();
            assertThat(get(running)).isEqualTo("two");
        }
    }

    @Test
    void diffSaysWhatAReloadWouldTake() throws Exception {
        write("one");
        try (Running running = run(false)) {
            DroppedPlugin.named("more", "x").write(plugins.resolve("more.jar"));
            Path other = Files.writeString(
                    folder.resolve("other.json"), JSON.replace("{\"hello\": {}}", "{\"hello\": {}, \"more\": {}}"));

            SteeringTest.Said said = say("diff", "-conf", other.toString());

            assertThat(said.err()).isEmpty();
            assertThat(said.out())
                    .contains("plugins: 1 added (listener s / more)")
                    .endsWith("\nplugins of " + plugins + "/more.jar (more): the jar is new\n");
            assertThat(get(running)).isEqualTo("one");
            assertThat(say("status").out()).doesNotContain("more.jar");
        }
    }

    @Test
    void watchingFollowsJarsToo() throws Exception {
        write("one");
        try (Running running = run(true)) {
            assertThat(get(running)).isEqualTo("one");
            write("two");
            Await.value("followed", () -> unchecked(running), "two"::equals);
        }
    }

    /** What began with the old jar ends with it, though its file is another one by then and the class is loaded only now. */
    @Test
    void anExchangeEndsWithTheClassesThatItBeganWith() throws Exception {
        new JarOf()
                .source("package com.example; class Late { static String text() { return \"late one\"; } }")
                .source(DroppedPlugin.source("hello", "1").replace("return Outcome.respond(response);", """
                                var later = new java.util.concurrent.CompletableFuture<Outcome>();
                                System.getProperties().put("sigma.test.go-on", (Runnable)
                                    () -> later.complete(Outcome.respond(Response.text(200, Late.text()))));
                                return Outcome.suspend(later);
                                """))
                .factories("com.example.Hello")
                .write(plugins.resolve("hello.jar"));
        try (Running running = run(false);
                RawClient client = RawClient.connect(running.port())) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            Await.until("suspended", () -> System.getProperties().containsKey(GO_ON));
            write("two");
            assertThat(say("reload").exitCode()).isZero();
            assertThat(get(running)).isEqualTo("two");

            ((Runnable) Objects.requireNonNull(System.getProperties().remove(GO_ON))).run();

            assertThat(client.readResponse().bodyText()).isEqualTo("late one");
            assertThat(get(client)).isEqualTo("two");
        }
    }

    @Test
    void otherSettingsOfTheSameJarTakeOver() throws Exception {
        write("one");
        try (Running running = run(false)) {
            Files.writeString(folder.resolve("sigma.json"), JSON.replace("\"hello\": {}", "\"hello\": {\"a\": 1}"));

            SteeringTest.Said said = say("reload");

            assertThat(said.exitCode()).isOne();
            assertThat(said.err()).contains("taken over");
            assertThat(get(running)).isEqualTo("one");
        }
    }
}
