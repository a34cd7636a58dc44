package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.Queue;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example's jar, loaded by a class loader of its own as any third party's: no class of it comes from elsewhere. */
class ExamplePluginTest {
    private static final String PACKAGE = "com.example.sigma";

    @Test
    void itsPluginsWorkInAGateway(@TempDir Path folder) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar(folder)}, new Without());
                ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(loader)
                        .plugin("example-request-id", Map.of())
                        .route("/slow", GatewayFixture.plugin("slow-lookup", Map.of("delay", "100ms")))
                        .route("/*")
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse plain = client.send(Ask.get("/")).readResponse();
            assertThat(plain.header("X-Request-Id")).isNotBlank();
            assertThat(upstream.request(0).headers().values("X-Request-Id"))
                    .containsExactly(plain.header("X-Request-Id"));

            RawResponse slow = client.send(Ask.get("/slow")).readResponse();
            assertThat(slow.header("X-Request-Id")).isNotEqualTo(plain.header("X-Request-Id"));
            assertThat(upstream.request(1).headers().values("X-Client-Name")).hasSize(1);

            long from = System.nanoTime();
            Queue<Object> statuses = PoolTest.concurrently(200, number -> {
                try (RawClient each = gateway.connect()) {
                    return each.send(Ask.get("/slow")).readResponse().status();
                }
            });
            assertThat(statuses).hasSize(200).containsOnly(200);
            // One after the other: 20 s.
            assertThat(System.nanoTime() - from).as("nanoseconds").isLessThan(10_000_000_000L);
        }
    }

    /** The jar that the build has made; or, where only classes were, one made of these. */
    private static URL jar(Path folder) throws IOException, URISyntaxException, ClassNotFoundException {
        Path built = Path.of(Class.forName(PACKAGE + ".RequestIdFactory")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        if (Files.isRegularFile(built)) {
            return built.toUri().toURL();
        }
        Path jar = folder.resolve("example.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.walk(built)) {
            files.filter(Files::isRegularFile).forEach(file -> add(entries, built, file));
        }
        return jar.toUri().toURL();
    }

    private static void add(JarOutputStream entries, Path root, Path file) {
        try {
            entries.putNextEntry(new JarEntry(root.relativize(file).toString()));
            Files.copy(file, entries);
            entries.closeEntry();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The test's class path without the example. */
    private static final class Without extends ClassLoader {
        Without() {
            super(ExamplePluginTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(PACKAGE)) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return Collections.enumeration(Collections.list(super.getResources(name)).stream()
                    .filter(url -> !url.toString().contains("plugin-request-id"))
                    .toList());
        }
    }
}
