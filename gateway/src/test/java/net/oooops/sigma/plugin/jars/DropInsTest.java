package net.oooops.sigma.plugin.jars;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import net.oooops.sigma.DroppedPlugin;
import net.oooops.sigma.JarOf;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.PluginFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DropInsTest {
    private static final String LIBRARY =
            "package com.library; public class Lib { public static String version() { return \"VERSION\"; } }";
    private static final String FACTORIES = "META-INF/services/net.oooops.sigma.api.PluginFactory";

    @TempDir
    private Path temp;

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(temp.resolve("plugins"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String problem() {
        DropIns read = DropIns.read(folder);
        assertThat(read.all()).isEmpty();
        assertThat(read.problems()).hasSize(1);
        return read.problems().getFirst();
    }

    private static PluginFactory first(DropIns of) {
        return of.all().getFirst().factories().getFirst().factory();
    }

    private static Object call(Object factory, String method) {
        try {
            return factory.getClass().getMethod(method).invoke(factory);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(method, e);
        }
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPipeIsNoJarAndNobodyWaitsForIt() throws Exception {
        Process made = new ProcessBuilder("mkfifo", folder.resolve("x.jar").toString()).start();
        Needed.here(made.waitFor() == 0, "mkfifo");

        assertThat(problem())
                .startsWith(folder + "/x.jar: x.jar is no jar that can be opened: a pipe, a socket or a device");
        Files.createDirectory(folder.resolve("two"));
        Files.move(folder.resolve("x.jar"), folder.resolve("two/x.jar"));
        assertThat(problem()).startsWith(folder + "/two: x.jar is no jar that can be opened: a pipe");
    }

    @Test
    void aFileThatIsTooLargeIsNotCopied() throws Exception {
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("x.jar").toFile(), "rw")) {
            file.setLength((512L << 20) + 1);
        }
        assertThat(problem())
                .contains("x.jar is no jar that can be opened: it has 536870913 bytes, and 536870912 are the most");
    }

    @Test
    void eachJarAndEachFolderOfJarsIsOneOfItsOwn() throws IOException {
        DroppedPlugin.named("one", "1").write(folder.resolve("one.jar"));
        Files.createDirectory(folder.resolve("two"));
        DroppedPlugin.named("two", "2").write(folder.resolve("two/two.jar"));
        Files.writeString(folder.resolve("README.txt"), "not a jar");
        Files.writeString(folder.resolve(".half.jar"), "not yet a jar");
        Files.createDirectory(folder.resolve("empty"));

        DropIns read = DropIns.read(folder);

        assertThat(read.problems()).isEmpty();
        assertThat(read.warnings()).isEmpty();
        assertThat(read.all()).extracting(DropIn::place).containsExactly(folder + "/one.jar", folder + "/two");
        assertThat(read.all()).flatExtracting(DropIn::names).containsExactly("one", "two");
        List<Class<?>> types = read.all().stream()
                .<Class<?>>map(each -> each.factories().getFirst().factory().getClass())
                .toList();
        assertThat(types.getFirst().getName()).isEqualTo(types.getLast().getName());
        assertThat(types.getFirst()).isNotSameAs(types.getLast());
    }

    @Test
    void twoPluginsHaveTwoVersionsOfALibrary() throws IOException {
        for (String version : List.of("1", "2")) {
            Path own = Files.createDirectory(folder.resolve("v" + version));
            String library = LIBRARY.replace("VERSION", version);
            Path classes = new JarOf().source(library).classes(Files.createDirectory(temp.resolve("lib" + version)));
            new JarOf().source(library).write(own.resolve("library.jar"));
            new JarOf()
                    .seeing(classes)
                    .source(DroppedPlugin.source("v" + version, "1")
                            .replace(
                                    "public String name()",
                                    "public String library() { return com.library.Lib.version(); }\n"
                                            + "public String name()"))
                    .factories("com.example.Hello")
                    .write(own.resolve("plugin.jar"));
        }

        DropIns read = DropIns.read(folder);

        assertThat(read.problems()).isEmpty();
        assertThat(read.all())
                .extracting(each -> call(each.factories().getFirst().factory(), "library"))
                .containsExactly("1", "2");
    }

    @Test
    void itSeesTheJdkTheApiAndSlf4jAndNothingElseOfTheGateways() throws Exception {
        DroppedPlugin.answering("x").write(folder.resolve("x.jar"));
        ClassLoader loader = first(DropIns.read(folder)).getClass().getClassLoader();

        assertThat(loader.loadClass("net.oooops.sigma.api.Plugin")).isSameAs(net.oooops.sigma.api.Plugin.class);
        assertThat(loader.loadClass("org.slf4j.Logger")).isSameAs(org.slf4j.Logger.class);
        assertThat(loader.loadClass("java.sql.Driver")).isSameAs(java.sql.Driver.class);
        for (String hidden : List.of(
                "net.oooops.sigma.plugin.PluginCatalog",
                "net.oooops.sigma.plugins.cors.CorsFactory",
                "io.netty.buffer.ByteBuf",
                "io.vertx.core.Vertx",
                "com.fasterxml.jackson.core.JsonParser",
                "ch.qos.logback.classic.Logger")) {
            assertThat(Optional.of(hidden)).as(hidden).isNotEqualTo(found(loader, hidden));
        }
        assertThat(loader.getResource("logback.xml")).isNull();
        assertThat(loader.getResource("net/oooops/sigma/config/sigma.schema.json"))
                .isNull();
    }

    private static Optional<String> found(ClassLoader loader, String type) {
        try {
            return Optional.of(loader.loadClass(type).getName());
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        }
    }

    @Test
    void itsResourcesAreItsOwnWhateverBecomesOfTheFile() throws Exception {
        Path jar = DroppedPlugin.answering("x")
                .entry("com/example/some text.txt", "mine")
                .source("package com.example; public class Late {}")
                .write(folder.resolve("x.jar"));
        Class<?> type = first(DropIns.read(folder)).getClass();

        Files.write(jar, new byte[100_000]);
        Files.delete(jar);

        try (InputStream in = type.getResourceAsStream("some text.txt")) {
            assertThat(Objects.requireNonNull(in).readAllBytes())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("mine");
        }
        URL url = Objects.requireNonNull(type.getResource("some text.txt"));
        try (InputStream in = url.openStream()) {
            assertThat(in.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("mine");
        }
        assertThat(type.getClassLoader().loadClass("com.example.Late")).isNotNull();
        assertThat(type.getProtectionDomain().getCodeSource().getLocation()).hasPath(jar.toString());
        assertThat(type.getClassLoader().getResource("missing")).isNull();
    }

    @Test
    void nothingIsLeftInTheFolderForTemporaryFiles() throws IOException {
        DroppedPlugin.answering("x").write(folder.resolve("x.jar"));

        DropIns read = DropIns.read(folder);

        assertThat(read.problems()).isEmpty();
        String own = String.valueOf(ProcessHandle.current().pid());
        try (Stream<Path> open = Files.list(Path.of("/proc", own, "fd"))) {
            assertThat(open.map(DropInsTest::target))
                    .filteredOn(each -> each.contains("sigma-plugin-"))
                    .isNotEmpty()
                    .allMatch(each -> each.endsWith("(deleted)"));
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void whatIsThereAgainIsTheSame() throws IOException {
        Path jar = DroppedPlugin.answering("x").write(folder.resolve("x.jar"));
        DropIns read = DropIns.read(folder);

        assertThat(first(read.again())).isSameAs(first(read));
        Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(60)));
        DropIns touched = read.again();
        assertThat(touched.again()).isSameAs(touched);
        assertThat(first(touched)).isSameAs(first(read));
        assertThat(touched.changesFrom(read)).isEmpty();
    }

    @Test
    void whatIsDifferentIsSaid() throws IOException {
        DroppedPlugin.named("kept", "x").write(folder.resolve("kept.jar"));
        DroppedPlugin.named("other", "x").write(folder.resolve("other.jar"));
        Path old = DroppedPlugin.named("old", "x").write(folder.resolve("old.jar"));
        DropIns before = DropIns.read(folder);
        DroppedPlugin.named("other", "y").write(folder.resolve("other.jar"));
        Files.delete(old);
        DroppedPlugin.named("new", "x").write(folder.resolve("new.jar"));

        DropIns now = before.again();

        assertThat(now.changesFrom(before))
                .containsExactly(
                        "plugins of " + folder + "/new.jar (new): the jar is new",
                        "plugins of " + folder + "/other.jar (other): the jar has changed",
                        "plugins of " + folder + "/old.jar (old): the jar is gone");
        assertThat(now.all().getFirst().factories())
                .isEqualTo(before.all().getFirst().factories());
    }

    @Test
    void aFileThatIsNoJarIsNamed() throws IOException {
        Files.writeString(folder.resolve("half.jar"), "PK\3\4 and so on");
        Files.setPosixFilePermissions(folder.resolve("half.jar"), PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(problem())
                .startsWith(folder + "/half.jar: half.jar is no jar that can be opened: ")
                .endsWith("(expected: a whole one; what is copied there gets its name once it is whole)");
    }

    @Test
    void aJarWithoutAFactoryIsNamed() {
        new JarOf().source("package com.example; public class Nothing {}").write(folder.resolve("nothing.jar"));

        assertThat(problem())
                .isEqualTo(folder + "/nothing.jar: no plugin is in it, as it has no " + FACTORIES
                        + " (expected: that file, with the name of a factory; a library belongs into a folder with the jar of its"
                        + " plugin)");
    }

    @Test
    void aFactoryThatIsNotThereIsNamed() {
        new JarOf().factories("com.example.Missing").write(folder.resolve("x.jar"));
        assertThat(problem())
                .contains("x.jar: ", "Provider com.example.Missing not found", "(expected: public classes ");
    }

    @Test
    void aListThatNamesNoFactoryIsNamed() {
        new JarOf().entry(FACTORIES, "# none\n").write(folder.resolve("x.jar"));
        assertThat(problem()).contains("x.jar: " + FACTORIES + " names no factory");
    }

    @Test
    void aFactoryThatFailsIsNamed() {
        new JarOf()
                .source(DroppedPlugin.source("x", "1")
                        .replace(
                                "public String name()",
                                "static final int N = Integer.parseInt(\"many\");\npublic String name()"))
                .factories("com.example.Hello")
                .write(folder.resolve("x.jar"));

        assertThat(problem())
                .contains("x.jar: its factory fails with java.lang.NumberFormatException: For input string: \"many\"");
    }

    @Test
    void aFactoryThatFailsWithAnErrorIsNamed() {
        new JarOf()
                .source(DroppedPlugin.source("x", "1")
                        .replace("return \"x\";", "throw new AssertionError(\"a defect\");"))
                .factories("com.example.Hello")
                .write(folder.resolve("x.jar"));

        assertThat(problem()).contains("x.jar: its factory fails with java.lang.AssertionError: a defect");
    }

    @Test
    void aNameThatIsNoneIsNamed() {
        DroppedPlugin.named("Not_One", "x").write(folder.resolve("x.jar"));
        assertThat(problem())
                .contains("x.jar: a plugin \"Not_One\" of com.example.Hello (expected: a name in kebab-case)");
    }

    @Test
    void aLibraryThatIsMissingIsNamed() throws IOException {
        Path classes = new JarOf().source(LIBRARY).classes(Files.createDirectory(temp.resolve("lib")));
        new JarOf()
                .seeing(classes)
                .source(DroppedPlugin.source("x", "1").replace("return \"x\";", "return com.library.Lib.version();"))
                .factories("com.example.Hello")
                .write(folder.resolve("x.jar"));

        assertThat(problem())
                .contains(
                        "x.jar: there is no class com.library.Lib (expected: the library that has it, in a folder with the jar");
    }

    @Test
    void whoAsksForTheGatewaysOwnClassesIsToldThatThereAreNone() {
        new JarOf()
                .source(DroppedPlugin.source("x", "1")
                        .replace("return \"x\";", "return io.netty.buffer.Unpooled.EMPTY_BUFFER.toString();"))
                .factories("com.example.Hello")
                .write(folder.resolve("x.jar"));

        assertThat(problem()).contains("x.jar: it asks for io.netty.buffer.Unpooled, which is no part of sigma-api");
    }

    /** The call is in a method that a start doesn't come to: it is found all the same. */
    @Test
    void aMethodThatThisApiDoesNotHaveIsNamed() throws IOException {
        Path other = new JarOf()
                .source("package net.oooops.sigma.api; public interface Exchange { String tenant(); }")
                .classes(Files.createDirectory(temp.resolve("api")));
        new JarOf()
                .seeing(other)
                .source(DroppedPlugin.source("x", "1")
                        .replace("respond(response)", "respond(Response.text(200, exchange.tenant()))"))
                .factories("com.example.Hello")
                .write(folder.resolve("x.jar"));

        assertThat(problem())
                .isEqualTo(
                        folder
                                + "/x.jar: com/example/Hello$1.class: uses net.oooops.sigma.api.Exchange.tenant()Ljava/lang/String;,"
                                + " which this version of Sigma doesn't have (expected: a jar that was built with the sigma-api of this version)");
    }

    @Test
    void aClassThatThisApiDoesNotHaveIsNamed() throws IOException {
        Path other = new JarOf()
                .source("package net.oooops.sigma.api; public class Tenant { public static int count; }")
                .classes(Files.createDirectory(temp.resolve("api")));
        new JarOf()
                .seeing(other)
                .source(DroppedPlugin.source("x", "Tenant.count"))
                .factories("com.example.Hello")
                // It brings its own along, which would not be the gateway's.
                .entry(
                        "net/oooops/sigma/api/Tenant.class",
                        Files.readAllBytes(other.resolve("net/oooops/sigma/api/Tenant.class")))
                .write(folder.resolve("x.jar"));

        assertThat(problem()).contains("uses net.oooops.sigma.api.Tenant, which this version of Sigma doesn't have");
    }

    @Test
    void aFactoryThatWasBuiltForLessIsNamed() throws IOException {
        Path other = new JarOf()
                .source(
                        "package net.oooops.sigma.api; public interface PluginFactory { String name(); String schema(); }")
                .classes(Files.createDirectory(temp.resolve("api")));
        new JarOf()
                .seeing(other)
                .source(DroppedPlugin.source("x", "1"))
                .source("package com.example; public class Old implements net.oooops.sigma.api.PluginFactory {"
                        + " public String name() { return \"old\"; } public String schema() { return \"{}\"; } }")
                .factories("com.example.Old")
                .write(folder.resolve("x.jar"));

        assertThat(problem()).contains("x.jar: com.example.Old: has no create(", "which this version of Sigma calls");
    }

    @Test
    void classesOfALaterJavaAreNamed() throws IOException {
        byte[] later = Files.readAllBytes(new JarOf()
                .source(DroppedPlugin.source("x", "1"))
                .classes(Files.createDirectory(temp.resolve("later")))
                .resolve("com/example/Hello.class"));
        later[7] = 99;
        new JarOf()
                .entry("com/example/Hello.class", later)
                .factories("com.example.Hello")
                .write(folder.resolve("x.jar"));

        assertThat(problem())
                .contains(
                        "x.jar: com/example/Hello.class: compiled for Java 55 (expected: a jar for Java ",
                        "maven.compiler.release");
    }

    @Test
    void aBrokenClassIsNamed() {
        new JarOf()
                .entry("com/example/Hello.class", "no class")
                .factories("com.example.Hello")
                .write(folder.resolve("x.jar"));
        assertThat(problem()).contains("x.jar: com/example/Hello.class: no class that can be read");
    }

    @Test
    void allProblemsAreToldAtOnceAndTheOthersAreThere() {
        new JarOf().factories("com.example.Missing").write(folder.resolve("a.jar"));
        DroppedPlugin.answering("x").write(folder.resolve("b.jar"));
        new JarOf().write(folder.resolve("c.jar"));

        DropIns read = DropIns.read(folder);

        assertThat(read.problems()).hasSize(2);
        assertThat(read.all()).flatExtracting(DropIn::names).containsExactly("hello");
    }

    @Test
    void whatOthersMayWriteToIsWarnedOf() throws IOException {
        Path jar = DroppedPlugin.answering("x").write(folder.resolve("x.jar"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxr-x"));
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--rw-"));

        assertThat(DropIns.read(folder).warnings())
                .containsExactly(
                        folder + ": its group may write to it, and so have the gateway run code (expected: chmod go-w)",
                        jar + ": everybody may write to it, and so have the gateway run code (expected: chmod go-w)");
    }

    @Test
    void anEmptyFolderIsWarnedOf() {
        assertThat(DropIns.read(folder).warnings())
                .containsExactly(folder + ": no plugin is in it (expected: NAME.jar, or NAME/*.jar)");
    }

    @Test
    void aFolderThatIsGoneIsAProblem() throws IOException {
        Path jar = DroppedPlugin.answering("x").write(folder.resolve("x.jar"));
        DropIns read = DropIns.read(folder);
        Files.delete(jar);
        Files.delete(folder);

        assertThat(read.again().problems()).hasSize(1).first().asString().startsWith(folder + ": can't be listed: ");
    }
}
