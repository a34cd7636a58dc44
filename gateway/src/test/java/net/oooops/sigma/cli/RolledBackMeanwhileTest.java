package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.plugin.PluginCatalog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files are written while they are read: what was rolled back doesn't take effect by that. */
class RolledBackMeanwhileTest extends ReloadingFixture {
    /** Done once, when a plugin is made the next time: its settings are read, what is read next isn't. */
    private static final AtomicReference<@Nullable Runnable> NEXT = new AtomicReference<>();

    @BeforeEach
    void start() throws Exception {
        start(routeTo("/good"), plugins());
    }

    private Path routeTo(String path) throws IOException {
        return Files.writeString(folder.resolve("sigma.json"), """
                {
                  "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                  "router": [{
                    "id": "r",
                    "proxy-server-id": "s",
                    "plugin": {"heard": {}},
                    "route": [{"id": "a", "path": "%s", "proxy-pass-id": "p"}]
                  }],
                  "proxy-pass": [{"id": "p", "upstream-id": "u"}],
                  "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}]
                }
                """.formatted(path));
    }

    private String route() {
        return gateway.config().routers().getFirst().routes().getFirst().path().toString();
    }

    /** {@link Heard} alone. */
    private PluginCatalog plugins() throws IOException {
        Path file = folder.resolve("META-INF/services/" + PluginFactory.class.getName());
        Files.createDirectories(file.getParent());
        Files.writeString(file, Heard.class.getName());
        URL[] urls = {folder.toUri().toURL()};
        ClassLoader own = new ClassLoader(ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                return RolledBackMeanwhileTest.class.getClassLoader().loadClass(name);
            }
        };
        try (URLClassLoader loader = new URLClassLoader(urls, own)) {
            return new PluginCatalog(loader);
        }
    }

    /** Says when it is made. */
    public static final class Heard implements PluginFactory {
        @Override
        public String name() {
            return "heard";
        }

        @Override
        public String schema() {
            return "{\"type\": \"object\"}";
        }

        @Override
        public Plugin create(Settings settings, PluginContext context) {
            Runnable next = NEXT.getAndSet(null);
            if (next != null) {
                next.run();
            }
            return () -> Needs.REQUEST;
        }
    }

    @Test
    void whatIsWrittenOnceMoreBetweenBothReadingsStaysRolledBack() throws Exception {
        List<ConfigText> first = reloading.texts();
        routeTo("/bad");
        reloading.reload("ann");
        reloading.rollBack("ann", 1, first);
        assertThat(route()).isEqualTo("/good");

        routeTo("/between");
        AtomicReference<String> written = new AtomicReference<>("nothing");
        NEXT.set(() -> {
            try {
                written.set(Files.readString(routeTo("/bad")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        reloading.reloadIfOther("watch");
        assertThat(written.get()).contains("/bad");
        assertThat(route()).isEqualTo("/good");
        reloading.reloadIfOther("watch");
        assertThat(route()).isEqualTo("/good");

        routeTo("/new");
        reloading.reloadIfOther("watch");
        assertThat(route()).isEqualTo("/new");
    }
}
