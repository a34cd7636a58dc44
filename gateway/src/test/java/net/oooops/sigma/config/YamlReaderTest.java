package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** YAML makes the values that JSON does; what can be wrong with it stands in the golden files. */
class YamlReaderTest {
    private static final Source SOURCE = new Source("f", Path.of(""), true);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Json read(String yaml) {
        Problems problems = new Problems();
        Json read = YamlReader.read(yaml, SOURCE, problems);
        assertThat(problems.sorted()).isEmpty();
        if (read == null) {
            throw new AssertionError("nothing read");
        }
        return read;
    }

    private static @Nullable Object plain(String yaml) {
        return read(yaml).plain();
    }

    @Test
    void aFileOfBothFormsIsTheSame() {
        Json json = Objects.requireNonNull(JsonReader.read(TestFiles.text("golden/everything.json"), new Problems()));
        assertThat(plain(TestFiles.text("golden/yaml-everything.yaml"))).isEqualTo(json.plain());
    }

    @Test
    void jsonIsYaml() {
        Json json = Objects.requireNonNull(JsonReader.read(TestFiles.text("golden/everything.json"), new Problems()));
        assertThat(plain(TestFiles.text("golden/everything.json"))).isEqualTo(json.plain());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | java.lang.Integer",
                "-0 | java.lang.Integer",
                "12345678901 | java.lang.Long",
                "1.5 | java.lang.Double",
                "1e3 | java.lang.Integer",
                "true | java.lang.Boolean",
                "false | java.lang.Boolean",
                "True | java.lang.String",
                "yes | java.lang.String",
                "off | java.lang.String",
                "~ | java.lang.String",
                "010 | java.lang.String",
                "0x10 | java.lang.String",
                "0o10 | java.lang.String",
                "+1 | java.lang.String",
                "1_000 | java.lang.String",
                ".5 | java.lang.String",
                ".nan | java.lang.String",
                "2001-01-01 | java.lang.String",
                "12:30 | java.lang.String",
                "\"true\" | java.lang.String",
                "!!str 1 | java.lang.String",
                "! 1 | java.lang.String",
            })
    void plainValuesAreWhatTheyAreInJson(String written, Class<?> type) {
        assertThat(plain("a: " + written))
                .isInstanceOfSatisfying(
                        Map.class, map -> assertThat(map.get("a")).isInstanceOf(type));
    }

    @ParameterizedTest
    @CsvSource({"a: !!int 3, !!int", "a: !!seq [], !!seq", "a: !mine x, !mine"})
    void tagsAreToldAsTheyAreWritten(String yaml, String tag) {
        Problems problems = new Problems();
        YamlReader.read(yaml, SOURCE, problems);
        assertThat(problems.sorted())
                .singleElement()
                .asString()
                .contains("found=the tag " + tag + ", expected=no tag but !!str");
    }

    @Test
    void nothingIsNull() {
        assertThat(read("a:\nb: null").get("a")).extracting(Json::kind).isEqualTo(Json.Kind.NULL);
        assertThat(read("a:\nb: null").get("b")).extracting(Json::kind).isEqualTo(Json.Kind.NULL);
    }

    @Test
    void placesAreThoseOfTheText() {
        Json root = read("a:\n  - b: 1\n    \"c\": [x, *d]\n".replace("*d", "{ y: z }"));
        assertThat(root.at("/a/0/b").place()).isEqualTo(new Place("f", 2, 8, "/a/0/b"));
        assertThat(root.at("/a/0/b").keyPlace()).isEqualTo(new Place("f", 2, 5, "/a/0/b"));
        assertThat(root.at("/a/0/c/1/y").place()).isEqualTo(new Place("f", 3, 19, "/a/0/c/1/y"));
    }

    @Test
    void whatAnAliasStandsForIsACopyInItsOwnPlace() {
        Json root = read("a: &a { b: [1] }\nc: *a\n");
        assertThat(root.plain()).isEqualTo(Map.of("a", Map.of("b", List.of(1)), "c", Map.of("b", List.of(1))));
        assertThat(root.at("/c/b/0").place()).isEqualTo(new Place("f", 1, 13, "/c/b/0"));
        assertThat(root.at("/c")).isNotSameAs(root.at("/a"));
    }

    @Test
    void copiesAreCounted() {
        String full =
                "a: &a [" + "1, ".repeat(98) + "1]\nb: [" + "*a, ".repeat(YamlReader.COPIES_MAX / 100 - 1) + "*a]\n";
        read(full);
        Problems problems = new Problems();
        assertThat(YamlReader.read(full + "c: *a\n", SOURCE, problems)).isNull();
        assertThat(problems.sorted().getFirst().text("f"))
                .isEqualTo("f:3:4: more by aliases (expected: at most 10000 values by aliases, and 64 levels)");
    }

    /** Its classes would take time at every start. */
    @Test
    void noClassOfYamlIsLoadedForJson() throws Exception {
        Path json = Files.writeString(folder.resolve("sigma.json"), TestFiles.text("golden/sample.json"));
        Path yaml = Files.writeString(folder.resolve("sigma.yaml"), "proxy-server: {}");
        try (URLClassLoader without =
                new URLClassLoader(classPathWithoutYaml(), ClassLoader.getPlatformClassLoader())) {
            Object reader = without.loadClass(ConfigReader.class.getName())
                    .getConstructor(Map.class)
                    .newInstance(TestPlugins.schemas());
            Method read = reader.getClass().getMethod("read", Path.class);
            assertThat(read.invoke(reader, json).getClass().getName()).isEqualTo(ConfigResult.Valid.class.getName());
            assertThat(read)
                    .satisfies(method -> assertThat(catchThrowable(() -> method.invoke(reader, yaml)))
                            .hasCauseInstanceOf(NoClassDefFoundError.class));
        }
    }

    private static URL[] classPathWithoutYaml() {
        return Arrays.stream(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("snakeyaml"))
                .map(entry -> url(Path.of(entry)))
                .toArray(URL[]::new);
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(path.toString(), e);
        }
    }

    @Test
    void aListOfNodesMayBeYaml() throws IOException {
        Path file = Files.writeString(folder.resolve("nodes.yaml"), "- http://a:1\n- url: http://b:2\n  weight: 3\n");
        assertThat(new NodesFile(file, NodeScheme.HTTP).read())
                .isEqualTo(new NodesFile.Content.Nodes(List.of(new NodeConfig("a", 1, 1), new NodeConfig("b", 2, 3))));
    }

    /** With the square of its length, each would take minutes of a CPU. */
    @ParameterizedTest
    @ValueSource(strings = {"a: 1 # %s", "a: %s", "a: \"%s\"", "a: '%s'", "a: |\n  %s", "a: &%s 1", "a: {b: [\"%s\"]}"})
    void aLongLineTakesTimeByItsLength(String around) {
        String yaml = around.replace("%s", "x".repeat(8 << 20));
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        assertThat(read(yaml).members()).containsKey("a");
        assertThat(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before)
                .isLessThan(TimeUnit.SECONDS.toNanos(8));
    }

    /** It is read in pieces. */
    @Test
    void whatIsLongerThanAPieceIsWhole() {
        String text = "é😀x".repeat(1 << 19);
        assertThat(plain("# " + text + "\na: \"" + text + "\"\nb: 2\n")).isEqualTo(Map.of("a", text, "b", 2));
    }
}
