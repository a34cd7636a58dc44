package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.snapshot.SnapshotException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginCatalogTest {
    @TempDir
    private Path folder;

    private static final class Nothing implements Plugin {
        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }
    }

    /** Takes a whole number {@code size} that isn't 13 and not above 100. */
    public static class Sized implements PluginFactory {
        @Override
        public String name() {
            return "sized";
        }

        @Override
        public String schema() {
            return "{\"type\":\"object\"}";
        }

        @Override
        public Plugin create(Settings settings, PluginContext context) {
            long size = settings.get("size").integer(1);
            if (size > 100) {
                throw settings.get("size").unexpected("at most 100");
            }
            if (size == 13) {
                throw new IllegalArgumentException("bad luck");
            }
            if (size == 14) {
                throw new NoClassDefFoundError("net/example/Missing");
            }
            return new Nothing();
        }
    }

    /** Has the name of the other one. */
    public static final class SizedToo extends Sized {}

    /** Has a name that is no key of sigma.json. */
    public static final class Misnamed extends Sized {
        @Override
        public String name() {
            return "Sized_";
        }
    }

    /** Makes nothing, or a plugin that says nothing of its needs. */
    @SuppressWarnings("NullAway") // as a factory that isn't checked for null may
    public static final class Careless extends Sized {
        @Override
        public Plugin create(Settings settings, PluginContext context) {
            if (settings.get("missing").bool(false)) {
                return () -> {
                    throw new NoClassDefFoundError("net/example/Missing");
                };
            }
            return settings.get("needless").bool(false) ? () -> null : null;
        }
    }

    /** Can't even say its name. */
    public static final class Nameless extends Sized {
        @Override
        public String name() {
            throw new NoClassDefFoundError("net/example/Missing");
        }
    }

    /** Makes plugins that fail as a defect of their own, and tells of those that were closed. */
    public static final class Broken extends Sized {
        private static final AtomicInteger CLOSED = new AtomicInteger();

        @Override
        public Plugin create(Settings settings, PluginContext context) {
            return new Plugin() {
                @Override
                public Needs needs() {
                    throw new AssertionError("defect");
                }

                @Override
                public void close() {
                    CLOSED.incrementAndGet();
                }
            };
        }
    }

    /** Has got a Redis when it fails. */
    public static final class Late extends Sized {
        @Override
        public Plugin create(Settings settings, PluginContext context) {
            context.redis("r");
            return super.create(settings, context);
        }
    }

    private PluginCatalog catalog(String... types) throws IOException {
        Path file = folder.resolve("META-INF/services/" + PluginFactory.class.getName());
        Files.createDirectories(file.getParent());
        Files.writeString(file, String.join("\n", types));
        URL[] urls = {folder.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(urls, new OnlyClasses())) {
            return new PluginCatalog(loader);
        }
    }

    /** Gives this test's classes but not the service files that stand beside them. */
    private static final class OnlyClasses extends ClassLoader {
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            return PluginCatalogTest.class.getClassLoader().loadClass(name);
        }

        OnlyClasses() {
            super(ClassLoader.getPlatformClassLoader());
        }
    }

    /** What it has got nobody could give back: its connections would stay for ever. */
    @Test
    void aFactoryThatFailsKeepsNoRedis() throws IOException {
        PluginCatalog catalog = catalog(Late.class.getName());
        for (int size : new int[] {13, 14, 101}) {
            assertThatThrownBy(() -> catalog.create("sized", Map.of("size", size)))
                    .isInstanceOf(SettingsException.class);
        }
        catalog.redis().follow(List.of());
        assertThat(catalog.redis().read()).isEmpty();
    }

    @Test
    void namesTheSchemasOfWhatTheLoaderFinds() throws IOException {
        PluginCatalog catalog = catalog(Sized.class.getName());

        assertThat(catalog.schemas()).containsExactly(Map.entry("sized", "{\"type\":\"object\"}"));
    }

    @Test
    void makesPluginsUnlessDisabled() throws IOException {
        PluginCatalog catalog = catalog(Sized.class.getName());

        assertThat(catalog.create("sized", Map.of("size", 5))).isInstanceOf(Nothing.class);
        assertThat(catalog.create("sized", Map.of("enable", true))).isInstanceOf(Nothing.class);
        assertThat(catalog.create("sized", null)).isInstanceOf(Nothing.class);
        assertThat(catalog.create("sized", Map.of("enable", false, "size", 500)))
                .isNull();
    }

    @Test
    void aFactorysProblemComesWithItsPlace() throws IOException {
        PluginCatalog catalog = catalog(Sized.class.getName());

        assertThatThrownBy(() -> catalog.create("sized", Map.of("size", 500)))
                .isInstanceOfSatisfying(SettingsException.class, e -> {
                    assertThat(e.pointer()).isEqualTo("/size");
                    assertThat(e.expected()).isEqualTo("at most 100");
                });
        assertThatThrownBy(() -> catalog.create("sized", Map.of("size", 13)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("bad luck")
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }

    /** Its jar may be there without another one that it needs. */
    @Test
    void aClassThatIsMissingIsAProblemOfTheSettings() throws IOException {
        PluginCatalog catalog = catalog(Sized.class.getName());
        assertThatThrownBy(() -> catalog.create("sized", Map.of("size", 14)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("net/example/Missing")
                .hasCauseInstanceOf(NoClassDefFoundError.class);

        PluginCatalog careless = catalog(Careless.class.getName());
        assertThatThrownBy(() -> careless.tryOut("sized", Map.of("missing", true), Protocol.HTTP))
                .isInstanceOf(SettingsException.class)
                .hasCauseInstanceOf(NoClassDefFoundError.class);
    }

    @Test
    void aFactoryWhoseClassesAreMissingIsNamedAsOneThatCantBeLoaded() {
        assertThatThrownBy(() -> catalog(Nameless.class.getName()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("net/example/Missing");
    }

    @Test
    void whatFailsInAnotherWayIsClosedAllTheSame() throws IOException {
        PluginCatalog catalog = catalog(Broken.class.getName());
        Broken.CLOSED.set(0);
        assertThatThrownBy(() -> catalog.tryOut("sized", Map.of(), Protocol.HTTP))
                .isInstanceOf(AssertionError.class)
                .hasMessage("defect");
        assertThat(Broken.CLOSED).hasValue(1);
    }

    @Test
    void noPluginIsAProblemAndNotOneThatIsSwitchedOff() throws IOException {
        PluginCatalog catalog = catalog(Careless.class.getName());
        String found = "settings that " + Careless.class.getName() + " made no plugin of (null)";

        assertThatThrownBy(() -> catalog.create("sized", Map.of()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.found()).isEqualTo(found));
        assertThatThrownBy(() -> catalog.tryOut("sized", Map.of(), Protocol.HTTP))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.found()).isEqualTo(found));
        assertThat(catalog.create("sized", Map.of("enable", false))).isNull();
    }

    @Test
    void noPluginIsAProblemAtItsPlaceWhenCheckedAndWhenStarted() throws IOException {
        PluginCatalog catalog = catalog(Careless.class.getName());
        byte[] json = """
                {
                  "proxy-server": { "http": [{ "id": "s", "port": 8080,
                    "plugin": { "sized": {} } }] },
                  "router": [{ "id": "r", "proxy-server-id": "s", "route": [{ "id": "a", "path": "/*", "proxy-pass-id": "p" }] }],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:9"] }]
                }
                """.getBytes(StandardCharsets.UTF_8);

        ConfigResult checked = new ConfigReader(catalog.schemas(), catalog::tryOut).read(json, folder);
        assertThat(checked)
                .isInstanceOfSatisfying(
                        ConfigResult.Invalid.class,
                        invalid -> assertThat(invalid.text("sigma.json"))
                                .contains("sigma.json:3:26", "made no plugin of (null) (expected: a plugin)"));

        ConfigResult unchecked = new ConfigReader(catalog.schemas()).read(json, folder);
        assertThat(unchecked)
                .isInstanceOfSatisfying(
                        ConfigResult.Valid.class,
                        valid -> assertThatThrownBy(() -> SnapshotCompiler.compile(valid.config(), catalog))
                                .isInstanceOfSatisfying(
                                        SnapshotException.class,
                                        e -> assertThat(e.problems())
                                                .singleElement()
                                                .satisfies(problem -> assertThat(valid.placeOf()
                                                                .apply(problem.pointer())
                                                                .line())
                                                        .isEqualTo(3))));
    }

    @Test
    void aPluginWithoutNeedsIsAProblem() throws IOException {
        PluginCatalog catalog = catalog(Careless.class.getName());

        assertThatThrownBy(() -> catalog.tryOut("sized", Map.of("needless", true), Protocol.HTTP))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.found()).isEqualTo("a plugin without needs (null)"));
    }

    @Test
    void anUnknownNameNamesTheKnownOnes() throws IOException {
        PluginCatalog catalog = catalog(Sized.class.getName());

        assertThatThrownBy(() -> catalog.create("size", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("plugin \"size\" (expected: one of [sized])");
    }

    @Test
    void refusesTwoOfOneNameNamingBoth() {
        assertThatThrownBy(() -> catalog(Sized.class.getName(), SizedToo.class.getName()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("plugin \"sized\" twice")
                .hasMessageContaining(Sized.class.getName())
                .hasMessageContaining(SizedToo.class.getName());
    }

    @Test
    void refusesNamesThatAreNoKeyAndFactoriesThatAreNotThere() {
        assertThatThrownBy(() -> catalog(Misnamed.class.getName()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("\"Sized_\"");
        assertThatThrownBy(() -> catalog("net.example.Missing"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("net.example.Missing");
    }
}
