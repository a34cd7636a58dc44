package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.DroppedPlugin;
import net.oooops.sigma.JarOf;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Commands take plugins from a folder. */
@DisabledOnOs(OS.WINDOWS)
class PluginsFolderTest {
    private static final String JSON = """
            {
              "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 8080, "plugin": {PLUGINS}}},
              "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}]
            }
            """;

    @TempDir
    private Path temp;

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(temp.resolve("plugins"));
    }

    private Path conf(String plugins) throws IOException {
        return Files.writeString(temp.resolve("sigma.json"), JSON.replace("PLUGINS", plugins));
    }

    private record Said(int exitCode, String out, String err) {}

    private Said say(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--plugins", folder.toString()));
        Shell shell = new Shell();
        int exitCode = Main.execute(all.toArray(String[]::new), shell.console());
        return new Said(exitCode, shell.out(), shell.err());
    }

    private Said check(Path conf) {
        return say(
                "check",
                "-conf",
                conf.toString(),
                "--run-dir",
                temp.resolve("run").toString());
    }

    @Test
    void checkKnowsThem() throws IOException {
        DroppedPlugin.answering("hi").write(folder.resolve("hello.jar"));

        Said said = check(conf("'hello': {}".replace('\'', '"')));

        assertThat(said.err()).isEmpty();
        assertThat(said.exitCode()).isZero();
        assertThat(said.out()).contains("valid — 1 listener");
    }

    @Test
    void checkTellsWhatIsWrongWithJarsAndWithTheFileAtOnce() throws IOException {
        DroppedPlugin.answering("hi").write(folder.resolve("a.jar"));
        DroppedPlugin.answering("hi").write(folder.resolve("b.jar"));
        new JarOf().factories("com.example.Missing").write(folder.resolve("broken.jar"));
        DroppedPlugin.named("cors", "hi").write(folder.resolve("c.jar"));

        Said said = check(conf("\"of-the-broken-one\": {}, \"x-frame\": 3"));

        assertThat(said.exitCode()).isOne();
        assertThat(said.err().replace(temp.toString(), "").lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("/plugins/broken.jar: net.oooops.sigma.api.PluginFactory: Provider"),
                        line -> assertThat(line)
                                .isEqualTo(
                                        "/plugins/b.jar: plugin \"hello\" twice: of com.example.Hello in /plugins/a.jar, and of"
                                                + " com.example.Hello in /plugins/b.jar (expected: one of both jars; is an older version left"
                                                + " beside the new one?)"),
                        line -> assertThat(line)
                                .isEqualTo("/plugins/c.jar: plugin \"cors\" twice: of"
                                        + " net.oooops.sigma.plugins.cors.CorsFactory, built in, and of com.example.Hello in"
                                        + " /plugins/c.jar (expected: another name: that one is taken)"),
                        line -> assertThat(line).startsWith("/sigma.json:2:").contains("/plugin/x-frame: 3"));
    }

    @Test
    void whatIsWrongWithJarsKeepsAGatewayFromStarting() throws IOException {
        new JarOf().factories("com.example.Missing").write(folder.resolve("broken.jar"));

        Said said = say(
                "run",
                "-conf",
                conf("").toString(),
                "--run-dir",
                temp.resolve("run").toString());

        assertThat(said.exitCode()).isOne();
        assertThat(said.err()).startsWith(folder + "/broken.jar: ").hasLineCount(1);
        assertThat(said.out()).isEmpty();
    }

    @Test
    void aSchemaThatCanNotBeUsedStopsThatPluginAlone() throws IOException {
        new JarOf()
                .source(DroppedPlugin.source("hello", "1").replace("\\\"type\\\": \\\"object\\\"", "\\\"not\\\": {}"))
                .factories("com.example.Hello")
                .write(folder.resolve("hello.jar"));
        String why = "the schema of the plugin \"hello\" (of com.example.Hello in " + folder
                + "/hello.jar): keyword \"not\"";

        Said used = check(conf("\"hello\": {}"));
        assertThat(used.exitCode()).isOne();
        assertThat(used.err())
                .contains("sigma.json:2:", "/proxy-server/http/plugin/hello: " + why)
                .hasLineCount(1);

        Said unused = check(conf("\"x-frame\": \"DENY\""));
        assertThat(unused.exitCode()).isZero();
        assertThat(unused.err()).startsWith("warning: " + why).hasLineCount(1);

        Said schema = say("schema");
        assertThat(schema.exitCode()).isZero();
        assertThat(schema.err()).startsWith("warning: " + why);
    }

    @Test
    void aFactoryThatLacksAClassOnlyWhereItMakesAPluginNamesTheJar() throws IOException {
        Path classes = new JarOf()
                .source("package com.library; public class Lib { public static String version() { return \"1\"; } }")
                .classes(Files.createDirectory(temp.resolve("lib")));
        new JarOf()
                .seeing(classes)
                .source(DroppedPlugin.source("hello", "com.library.Lib.version()"))
                .factories("com.example.Hello")
                .write(folder.resolve("hello.jar"));

        Said said = check(conf("\"hello\": {}"));

        assertThat(said.exitCode()).isOne();
        assertThat(said.err())
                .contains("java.lang.NoClassDefFoundError: com/library/Lib")
                .contains("with all its libraries: " + folder + "/hello.jar");
    }

    @Test
    void explainRunsThem() throws IOException {
        DroppedPlugin.answering("hi").write(folder.resolve("hello.jar"));

        Said said = say(
                "explain",
                "GET",
                "http://localhost:8080/a",
                "-conf",
                conf("\"hello\": {}").toString());

        assertThat(said.err()).isEmpty();
        assertThat(said.out()).contains("hello  answers 200", "200 by hello");
    }

    @Test
    void theSchemaHasThem() throws IOException {
        DroppedPlugin.answering("hi").write(folder.resolve("hello.jar"));

        Said said = say("schema");

        assertThat(said.exitCode()).isZero();
        assertThat(new ObjectMapper()
                        .readTree(said.out())
                        .at("/$defs/plugin/properties")
                        .fieldNames())
                .toIterable()
                .contains("hello", "cors");
    }

    @Test
    void theVersionSaysWhereTheyAreFrom() throws IOException {
        DroppedPlugin.answering("hi").write(folder.resolve("hello.jar"));
        assertThat(say("version").out()).endsWith("\n  plugins     hello (" + folder + "/hello.jar)\n");

        new JarOf().factories("com.example.Missing").write(folder.resolve("broken.jar"));
        Said said = say("version");
        assertThat(said.exitCode()).isOne();
        assertThat(said.out()).startsWith("sigma ").contains("hello.jar");
        assertThat(said.err()).startsWith(folder + "/broken.jar: ");
    }

    @Test
    void contextClassLoadersAreTheirOwnWhileTheyAreMade() throws IOException {
        new JarOf()
                .source(
                        DroppedPlugin.source(
                                "hello",
                                "Thread.currentThread().getContextClassLoader() == Hello.class.getClassLoader() ? 1 : Integer.parseInt(\"another\")"))
                .factories("com.example.Hello")
                .write(folder.resolve("hello.jar"));
        ClassLoader before = Thread.currentThread().getContextClassLoader();

        Said said = check(conf("\"hello\": {}"));

        assertThat(said.exitCode()).isZero();
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }

    @Test
    void aVariableTakesTheOptionsPlaceAndTheOptionWins() throws Exception {
        DroppedPlugin.answering("hi").write(folder.resolve("hello.jar"));
        Path empty = Files.createDirectory(temp.resolve("empty"));

        assertThat(PluginsFolder.catalog(null, folder.toString()).schemas()).containsKey("hello");
        assertThat(PluginsFolder.catalog(empty, folder.toString()).schemas()).doesNotContainKey("hello");
        assertThat(PluginsFolder.catalog(null, "").schemas()).doesNotContainKey("hello");
        assertThat(PluginsFolder.catalog(null, null).schemas()).doesNotContainKey("hello");
    }

    @Test
    void aFolderBesideTheFileIsTakenOnlyWhereItIsAskedFor() throws IOException {
        DroppedPlugin.answering("hi").write(folder.resolve("hello.jar"));
        Shell shell = new Shell();

        int exitCode = Main.execute(
                new String[] {
                    "check",
                    "-conf",
                    conf("\"hello\": {}").toString(),
                    "--run-dir",
                    temp.resolve("run").toString()
                },
                shell.console());

        assertThat(exitCode).isOne();
        assertThat(shell.err()).contains("unknown key \"hello\"");
    }

    @Test
    void aFolderThatIsNoneIsWrongUsage() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "");

        assertThatThrownBy(() -> PluginsFolder.catalog(temp.resolve("none"), null))
                .isInstanceOfSatisfying(
                        Failure.class, e -> assertThat(e.exitCode()).isEqualTo(Exit.USAGE))
                .hasMessageContaining(
                        "--plugins " + temp.resolve("none") + ": no such folder (expected: a folder with jars)");
        assertThatThrownBy(() -> PluginsFolder.catalog(null, file.toString()))
                .hasMessageContaining("SIGMA_PLUGINS " + file + ": no folder (expected: a folder with jars)");
    }

    @Test
    void anEmptyNameIsNotTheWorkingDirectory() throws IOException {
        Shell shell = new Shell();
        String[] words = {"check", "--plugins", "", "-conf", conf("").toString()};

        assertThat(Main.execute(words, shell.console())).isEqualTo(Exit.USAGE);
        assertThat(shell.err()).contains("--plugins: an empty name (expected: a folder with jars)");
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void whatOneCatalogHasAnotherTakesOver() throws Exception {
        DroppedPlugin.answering("hi").write(folder.resolve("hello.jar"));
        PluginCatalog catalog = PluginsFolder.catalog(folder, null);
        assertThat(catalog.again().madeBy("hello")).isSameAs(catalog.madeBy("hello"));

        DroppedPlugin.answering("ho").write(folder.resolve("hello.jar"));
        PluginCatalog other = catalog.again();
        assertThat(other.madeBy("hello")).isNotSameAs(catalog.madeBy("hello"));
        assertThat(other.madeBy("cors")).isSameAs(catalog.madeBy("cors"));
    }
}
