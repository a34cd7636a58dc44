package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every source file of every module is tidy, and each of the rules catches what it is for. */
@Order(1)
class TidyTest {

    private static final Map<String, Function<SourceFile, List<String>>> RULES = Map.of(
            "names", NameRule::check,
            "sizes", SizeRule::check,
            "open work", TextRules::openWork,
            "monitors", TextRules::monitors,
            "sleeps in tests", TextRules::sleeps,
            "threads of tests", TextRules::sharedThreads,
            "tests in company", TextRules::company,
            "lab", TextRules::labImports);

    @TestFactory
    Stream<DynamicTest> sigmaIsTidy() {
        List<SourceFile> files = SourceFile.all();
        assertThat(files).extracting(SourceFile::packageName).contains(Layout.ROOT, Layout.ROOT + ".api");
        var perFile = RULES.entrySet().stream()
                .map(rule -> dynamicTest(
                        rule.getKey(),
                        () -> assertThat(files).flatMap(rule.getValue()).isEmpty()));
        var pages = dynamicTest(
                "package pages", () -> assertThat(TextRules.packagePages(files)).isEmpty());
        return Stream.concat(perFile, Stream.of(pages));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "class RouteManager {}",
                "class HTTPData {}",
                "class Helpers {}",
                "interface Pool { class BaseNode {} }",
                "enum Side { BACKEND, UPSTREAM_SERVICE }",
                "record Node(String dataInfo) {}",
                "class Pool { int originCount; }",
                "class Pool { void closeImpl() {} }",
                "package net.oooops.sigma.util; class Pool {}"
            })
    void bannedNamePartsAreFound(String source) {
        assertThat(NameRule.check(gateway("Pool.java", source))).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "class Database { int base64; String informational; }",
                "class Pool { void close(Object data) { int info = 1; } }",
                "class Pool extends Thread { @Override public String getBaseName() { return log.info(base()); } }"
            })
    void namesThatOnlyLookBannedPass(String source) {
        assertThat(NameRule.check(gateway("Pool.java", source))).isEmpty();
    }

    @Test
    void anAllowedNamePassesOnlyWhereItIsAllowed() {
        String source = "class AllowedOrigins {}";
        assertThat(NameRule.check(gateway("plugins/cors/AllowedOrigins.java", source)))
                .isEmpty();
        assertThat(NameRule.check(gateway("plugins/csp/AllowedOrigins.java", source)))
                .hasSize(1);
    }

    @Test
    void longFilesAndMethodsAreFound() {
        assertThat(sizes("class A {" + "\n".repeat(499) + "}")).isEmpty();
        assertThat(sizes("class A {" + "\n".repeat(500) + "}"))
                .singleElement()
                .asString()
                .contains("lines of file: 501");
        assertThat(sizes("class A { void a() {" + "\n".repeat(69) + "} }")).isEmpty();
        assertThat(sizes("class A { void a() {" + "\n".repeat(70) + "} }"))
                .singleElement()
                .asString()
                .contains("lines of a: 71");
    }

    @Test
    void longParameterListsAreFound() {
        assertThat(sizes("class A { void a(int a, int b, int c, int d, int e, int f) {} }"))
                .hasSize(1);
        assertThat(sizes("class A { A(int a, int b, int c, int d, int e, int f) {} }"))
                .hasSize(1);
        assertThat(sizes("class A { void a(int a, int b, int c, int d, int e) {} }"))
                .isEmpty();
        assertThat(sizes("class A { @Override void a(int a, int b, int c, int d, int e, int f) {} }"))
                .isEmpty();
        assertThat(sizes("record A(int a, int b, int c, int d, int e, int f) { "
                        + "A(int a, int b, int c, int d, int e, int f) { this.a = a; } }"))
                .isEmpty();
    }

    @Test
    void deepNestingIsFound() {
        assertThat(body("for (;;) { if (a) { try { if (b) { c(); } } finally { } } }"))
                .hasSize(1);
        assertThat(body("while (a) { switch (b) { case 1 -> { do { synchronized (c) { d(); } } while (e); } } }"))
                .hasSize(1);
        assertThat(
                        body(
                                "run(() -> { for (var b : c) { int d = switch (b) { default -> { if (e) { if (f) { } } yield 1; } }; } });"))
                .hasSize(1);
        assertThat(
                        body(
                                "for (;;) { if (a) { b(); } else if (c) { if (d) { e(); } } else if (f) { g(); } else { h(); } }"))
                .isEmpty();
        assertThat(
                        body(
                                "for (;;) { if (a) { run(new Runnable() { public void run() { for (;;) { if (b) { c(); } } } }); } }"))
                .isEmpty();
    }

    @Test
    void openWorkNeedsALink() {
        String mark = "// TO" + "DO later";
        assertThat(TextRules.openWork(gateway("A.java", "class A {} " + mark))).hasSize(1);
        assertThat(TextRules.openWork(gateway("A.java", "class A {} " + mark + ": https://example.org/sigma/issues/7")))
                .isEmpty();
    }

    @Test
    void monitorsAreFoundOnTheRoadOnly() {
        String types = " class A { synchronized void a() {} void b() { synchronized (this) { } } }";
        assertThat(TextRules.monitors(gateway("A.java", "package net.oooops.sigma.http1;" + types)))
                .hasSize(2);
        assertThat(TextRules.monitors(gateway("A.java", "package net.oooops.sigma.plugins.cors;" + types)))
                .hasSize(2);
        assertThat(TextRules.monitors(gateway("A.java", "package net.oooops.sigma.control;" + types)))
                .isEmpty();
    }

    @Test
    void sleepsAreFoundInTestsOnly() {
        String source = "class A { void a() { Thread.%s(1); TimeUnit.SECONDS.%1$s(1); } }".formatted("sleep");
        assertThat(TextRules.sleeps(test(source))).hasSize(2);
        assertThat(TextRules.sleeps(gateway("A.java", source))).isEmpty();
    }

    @Test
    void tasksInTheCommonPoolAreFoundInTestsOnly() {
        String source =
                "class A { void a() { CompletableFuture.runAsync(b%s); CompletableFuture.supplyAsync(c%<s); } }";
        assertThat(TextRules.sharedThreads(test(source.formatted("")))).hasSize(2);
        assertThat(TextRules.sharedThreads(test(source.formatted(", Thread::startVirtualThread"))))
                .isEmpty();
        assertThat(TextRules.sharedThreads(gateway("A.java", source.formatted(""))))
                .isEmpty();
    }

    @Test
    void testsThatLookAtTheWholeProcessRunAlone() {
        String source = "%sclass A { void a() { try (var memory = DirectMemory." + "watched()) {} } }";
        assertThat(TextRules.company(test(source.formatted("")))).hasSize(1);
        assertThat(TextRules.company(test(source.formatted("package a;\n@Isolated(\"direct memory\")\n"))))
                .isEmpty();
        assertThat(TextRules.company(gateway("A.java", source.formatted("")))).isEmpty();
    }

    @Test
    void importsOfTheLabAreFound() {
        String source = "import net.oooops.sigma.lab.Load; class A {}";
        assertThat(TextRules.labImports(gateway("A.java", source))).hasSize(1);
        assertThat(TextRules.labImports(SourceFile.parse("lab/src/main/java/A.java", source)))
                .isEmpty();
    }

    @Test
    void packagesWithoutPageAreFound() {
        SourceFile type = gateway("A.java", "package net.oooops.sigma.proxy; class A {}");
        SourceFile silent = gateway("package-info.java", "@NullMarked\npackage net.oooops.sigma.proxy;");
        SourceFile nullable = gateway("package-info.java", "/** Flow. */\npackage net.oooops.sigma.proxy;");
        SourceFile sound = gateway("package-info.java", "/** Flow. */\n@NullMarked\npackage net.oooops.sigma.proxy;");
        assertThat(TextRules.packagePages(List.of(type))).hasSize(1);
        assertThat(TextRules.packagePages(List.of(type, silent))).hasSize(1);
        assertThat(TextRules.packagePages(List.of(type, nullable))).hasSize(1);
        assertThat(TextRules.packagePages(List.of(type, sound))).isEmpty();
    }

    private static List<String> body(String statements) {
        return sizes("class A { void a() { " + statements + " } }");
    }

    private static List<String> sizes(String source) {
        return SizeRule.check(gateway("A.java", source));
    }

    private static SourceFile test(String source) {
        return SourceFile.parse("gateway/src/test/java/net/oooops/sigma/ATest.java", source);
    }

    private static SourceFile gateway(String path, String source) {
        return SourceFile.parse("gateway/src/main/java/net/oooops/sigma/" + path, source);
    }
}
