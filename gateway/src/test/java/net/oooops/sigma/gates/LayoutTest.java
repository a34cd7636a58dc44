package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Sigma's classes keep the layout, and each of its rules catches what it is for. */
@Order(1)
class LayoutTest {

    private static final String API = "package net.oooops.sigma.api; public class Head {}";
    private static final String CONTROL = "package net.oooops.sigma.control; public class Reload {}";

    /** For each rule, sources that break it: alone, or the last one does with the help of those before. */
    private static final Map<String, List<List<String>>> BROKEN = Map.of(
            "direction",
            List.of(
                    List.of(
                            CONTROL,
                            "package net.oooops.sigma.proxy; class Flow { net.oooops.sigma.control.Reload up; }"),
                    List.of(
                            "package net.oooops.sigma.route; public class Routes {}",
                            "package net.oooops.sigma.balance; class Sibling { net.oooops.sigma.route.Routes[] routes; }"),
                    List.of(
                            "package net.oooops.sigma.tcp; public class Relay {}",
                            "package net.oooops.sigma.proxy; class Sibling { net.oooops.sigma.tcp.Relay relay; }"),
                    List.of(
                            "package net.oooops.sigma.proxy; public class Flow {}",
                            "package net.oooops.sigma.runtime; class Knowing { net.oooops.sigma.proxy.Flow up; }"),
                    List.of(
                            "package net.oooops.sigma.plugins.cors; public class Cors {}",
                            "package net.oooops.sigma.control; class Known extends net.oooops.sigma.plugins.cors.Cors {}"),
                    List.of(
                            "package net.oooops.sigma; public class Sigma {}",
                            "package net.oooops.sigma.http1.codec; class Deep { net.oooops.sigma.Sigma up; }")),
            "no cycles",
            List.of(
                    List.of(
                            "package net.oooops.sigma.http1; public class Outer { net.oooops.sigma.http1.codec.Inner inner; }",
                            "package net.oooops.sigma.http1.codec; public class Inner { net.oooops.sigma.http1.Outer outer; }")),
            "testable without a socket",
            List.of(
                    List.of("package net.oooops.sigma.route; class A { io.netty.channel.Channel channel; }"),
                    List.of("package net.oooops.sigma.balance; class B { void b() { io.vertx.core.Vertx.vertx(); } }"),
                    List.of("package net.oooops.sigma.config.json; class C { io.netty.channel.epoll.Epoll epoll; }")),
            "data plane knows no control",
            List.of(List.of(
                    CONTROL, "package net.oooops.sigma.upstream; class Pool { net.oooops.sigma.control.Reload up; }")),
            "plugins see api and themselves",
            List.of(
                    List.of("package net.oooops.sigma.plugins.one; class A { io.netty.buffer.ByteBuf bytes; }"),
                    List.of(
                            "package net.oooops.sigma.plugins.one; public class A {}",
                            "package net.oooops.sigma.plugins.oneandmore; class B { net.oooops.sigma.plugins.one.A other; }"),
                    List.of(
                            "package net.oooops.sigma.config; public class Limits {}",
                            "package net.oooops.sigma.plugins.one; class C { net.oooops.sigma.config.Limits limits; }")),
            "api sees the JDK",
            List.of(List.of("package net.oooops.sigma.api; class A { org.slf4j.Logger log; }")),
            "testkit sees api",
            List.of(List.of(
                    CONTROL, "package net.oooops.sigma.testkit; class T { net.oooops.sigma.control.Reload up; }")),
            "data plane does not wait",
            List.of(
                    waiting("Thread.sleep(1)"),
                    waiting("new java.util.concurrent.CompletableFuture<String>().join()"),
                    waiting("new java.util.concurrent.FutureTask<String>(() -> \"\").get()"),
                    waiting("((io.netty.channel.ChannelFuture) null).sync()"),
                    waiting("((io.vertx.core.Future<?>) null).await()"),
                    waiting("new java.util.concurrent.CountDownLatch(1).await()"),
                    waiting("new java.util.concurrent.locks.ReentrantLock().lock()"),
                    waiting("new java.util.concurrent.LinkedBlockingQueue<String>().take()"),
                    waiting(
                            "java.util.stream.Stream.of(new Thread()).forEach(t -> { try { t.join(); } catch (Exception e) {} })"),
                    waiting("java.util.Optional.of(new java.util.concurrent.CompletableFuture<String>())"
                            + ".map(java.util.concurrent.CompletableFuture::join)")));

    private static final List<String> SOUND = List.of(
            API,
            "package net.oooops.sigma.config; public class Limits {}",
            "package net.oooops.sigma.route; public class Routes { net.oooops.sigma.config.Limits limits; int[] counts; }",
            "package net.oooops.sigma.proxy; public class Flow { net.oooops.sigma.route.Routes routes; "
                    + "String s = java.util.Optional.of(\"\").get() + String.join(\"\", \"\"); void wait(int a, int b) { wait(b, a); } }",
            "package net.oooops.sigma.plugins.one.parts; public class Part {}",
            "package net.oooops.sigma.plugins.one; class One { net.oooops.sigma.api.Head head; org.slf4j.Logger log; "
                    + "net.oooops.sigma.plugins.one.parts.Part part; long[][] counts; }",
            "package net.oooops.sigma.cli; class Main { net.oooops.sigma.proxy.Flow flow; }");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @TestFactory
    Stream<DynamicTest> sigmaKeepsTheLayout() {
        JavaClasses sigma = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(Layout.ROOT);
        assertThat(sigma).extracting(JavaClass::getPackageName).contains(Layout.ROOT, Layout.ROOT + ".api");
        return Layout.rules().entrySet().stream()
                .map(rule -> dynamicTest(rule.getKey(), () -> rule.getValue().check(sigma)));
    }

    @TestFactory
    Stream<DynamicTest> eachRuleCatches() {
        assertThat(BROKEN.keySet()).isEqualTo(Layout.rules().keySet());
        return BROKEN.entrySet().stream()
                .flatMap(entry -> entry.getValue().stream()
                        .map(sources -> dynamicTest(
                                entry.getKey() + ": " + sources.getLast(),
                                () -> assertCaught(entry.getKey(), sources))));
    }

    @Test
    void soundCodePasses() throws IOException {
        JavaClasses sound = compile(SOUND);
        assertThat(Layout.rules().values())
                .allSatisfy(rule -> assertThat(
                                rule.evaluate(sound).getFailureReport().getDetails())
                        .isEmpty());
    }

    private void assertCaught(String rule, List<String> sources) throws IOException {
        var report = Objects.requireNonNull(Layout.rules().get(rule))
                .evaluate(compile(sources))
                .getFailureReport();
        assertThat(report.getDetails()).as(rule).isNotEmpty();
    }

    private JavaClasses compile(List<String> sources) throws IOException {
        Path classes = Files.createTempDirectory(dir, "classes");
        List<JavaFileObject> files = Stream.concat(Stream.of(API), sources.stream())
                .distinct()
                .map(source ->
                        SourceFile.inMemory(SourceFile.parse("A.java", source).typePath(), source))
                .toList();
        List<String> options = List.of("-proc:none", "-d", classes.toString());
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, options, null, files)
                .call();
        assertThat(compiled).as("fixture compiles: %s", sources).isTrue();
        return new ClassFileImporter().importPath(classes);
    }

    private static List<String> waiting(String call) {
        return List.of(
                "package net.oooops.sigma.proxy; class Waits { void waits() throws Exception { " + call + "; } }");
    }
}
