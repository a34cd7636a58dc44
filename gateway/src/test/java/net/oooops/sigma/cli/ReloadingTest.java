package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.observe.HiddenTexts;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log")
class ReloadingTest extends ReloadingFixture {
    private static final String ROUTER =
            "'router': [{'id': 'r', 'proxy-server-id': 's', 'route': [{'id': 'a', 'path': '/*', 'proxy-pass-id': 'p'}]}]";
    private static final String OTHERS = "'proxy-server': {'http': {'id': 's', 'host': '127.0.0.1', 'port': 0}},"
            + " 'proxy-pass': [{'id': 'p', 'upstream-id': 'u'}],"
            + " 'upstream': [{'id': 'u', 'nodes': ['http://127.0.0.1:1']}]";
    private static final String SECRET = "hunter2 and more";
    private static final String KNOWN = "hunter1 and less";

    @BeforeEach
    void start() throws Exception {
        start(write("sigma.json", ROUTER, OTHERS), plugins());
    }

    private Path write(String name, String... members) throws IOException {
        String json = "{" + String.join(", ", members).replace('\'', '"') + "}";
        return Files.writeString(folder.resolve(name), json);
    }

    /** {@link Logging} alone. */
    private PluginCatalog plugins() throws IOException {
        Path file = folder.resolve("META-INF/services/" + PluginFactory.class.getName());
        Files.createDirectories(file.getParent());
        Files.writeString(file, Logging.class.getName());
        URL[] urls = {folder.toUri().toURL()};
        ClassLoader own = new ClassLoader(ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                return ReloadingTest.class.getClassLoader().loadClass(name);
            }
        };
        try (URLClassLoader loader = new URLClassLoader(urls, own)) {
            return new PluginCatalog(loader);
        }
    }

    /** Can't log in, and says with what; without a key there is a class that it doesn't find. */
    public static final class Logging implements PluginFactory {
        @Override
        public String name() {
            return "logging-in";
        }

        @Override
        public String schema() {
            return """
                    {"type": "object", "properties": {"key": {"type": "string", "x-secret": true}}}""";
        }

        @Override
        public Plugin create(Settings settings, PluginContext context) {
            String key = settings.get("key").string("");
            if (key.isEmpty()) {
                throw new NoClassDefFoundError("net/example/Login");
            }
            return new Login(key);
        }
    }

    /** Logged in with a key that is known; what follows it can't take over. */
    private record Login(String key) implements Plugin {
        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }

        @Override
        public void start() {
            if (!key.equals(KNOWN)) {
                throw new IllegalStateException("no login with " + key);
            }
        }

        @Override
        public void takeOver(Plugin before) {
            throw new IllegalStateException(key + " isn't " + ((Login) before).key);
        }
    }

    private static String withPlugin(String settings) {
        return ROUTER.replace("'id': 'r',", "'id': 'r', 'plugin': {'logging-in': " + settings + "},");
    }

    /** A large configuration would stay in the heap for as long as the process lives. */
    @Test
    void whatItWasStartedWithIsForgotten() throws Exception {
        WeakReference<SigmaConfig> first = new WeakReference<>(gateway.config());
        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
        reloading.reload("test");

        Await.until("the first configuration is gone", () -> {
            System.gc();
            return first.refersTo(null);
        });
    }

    @Test
    void filesThatAnEditWithoutAnyChangeBringsInAreWatched() throws Exception {
        Path routers = write("routers.json", ROUTER);
        write("sigma.json", OTHERS, "'include': 'routers.json'");
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(1);
        assertThat(reloading.files()).contains(routers);

        write("routers.json", ROUTER.replace("/*", "/a/*"));
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(2);
    }

    @Test
    void filesThatABrokenEditBringsInAreWatched() throws Exception {
        Path broken = Files.writeString(folder.resolve("broken.json"), "{");
        Path key = Files.createDirectory(folder.resolve("key"));
        write("sigma.json", withPlugin("{'key': {'$file': 'key'}}"), OTHERS, "'include': ['broken.json', 'gone.json']");
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(1);
        assertThat(reloading.files()).contains(broken, key, folder.resolve("gone.json"));
    }

    @Test
    void filesOfAnEditThatCannotTakeEffectAreWatched() throws Exception {
        Path key = Files.writeString(folder.resolve("key"), SECRET);
        write("sigma.json", withPlugin("{'key': {'$file': 'key'}}"), OTHERS);
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(1);
        assertThat(reloading.files()).contains(key);
    }

    @Test
    void aRollbackLeavesTheFilesThatAreWatched() throws Exception {
        List<ConfigText> first = reloading.texts();
        write("routers.json", ROUTER.replace("/*", "/a/*"));
        write("sigma.json", OTHERS, "'include': 'routers.json'");
        reloading.reload("ann");
        List<Path> files = reloading.files();
        assertThat(files).hasSize(2);

        assertThat(reloading.rollBack("ann", 1, first).generation()).isEqualTo(3);
        assertThat(reloading.files()).isEqualTo(files);
    }

    @Test
    void whatWasRolledBackStaysSoUntilTheFilesSaySomethingElse() throws Exception {
        List<ConfigText> first = reloading.texts();
        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
        reloading.reload("ann");
        reloading.rollBack("ann", 1, first);
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(3);

        write("sigma.json", ROUTER.replace("/*", "/b/*"), OTHERS);
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(4);
    }

    @Test
    void filesThatSayWhatWasRolledBackToAreTakenOver() throws Exception {
        List<ConfigText> first = reloading.texts();
        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
        reloading.reload("ann");
        reloading.rollBack("ann", 1, first);
        write("sigma.json", ROUTER, OTHERS);
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(3);

        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
        reloading.reloadIfOther("watch");
        assertThat(gateway.generation()).isEqualTo(4);
    }

    @Test
    void whoHearsOfAReloadCannotMakeItFail() throws Exception {
        reloading.listen((who, texts) -> {
            throw new NoClassDefFoundError("net/example/History");
        });
        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            assertThat(reloading.reload("ann").generation()).isEqualTo(2);
            assertThat(log.lines())
                    .contains("ERROR ann asked for a reload, which took effect; what was to be done then failed");
        }
    }

    @Test
    void whatTakesARestartIsSaidUntilItIsAsAtTheStart() throws Exception {
        String transport = "'runtime': {'transport': 'nio'}";
        Path file = write("sigma.json", ROUTER, OTHERS, transport);
        assertThat(reloading.reload("ann").changes().restart()).containsExactly("runtime.transport");
        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS, transport);
        assertThat(reloading.reload("ann").text()).endsWith("\ntakes a restart: runtime.transport\n");
        Reloading.Would same = reloading.changes(Conf.written(List.of(file), InputStream.nullInputStream()));
        assertThat(same.text()).isEqualTo("nothing changes\ntakes a restart: runtime.transport\n");
        write("sigma.json", ROUTER, OTHERS);
        assertThat(reloading.reload("ann").changes().restart()).isEmpty();
    }

    @Test
    void aPluginThatFailsToStartShowsNoSecret() throws Exception {
        Files.writeString(folder.resolve("key"), SECRET);
        write("sigma.json", withPlugin("{'key': {'$file': 'key'}}"), OTHERS);
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            assertThatThrownBy(() -> reloading.reload("ann"))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("no login with (secret)");
            assertThat(log.lines()).singleElement().asString().contains("no login with (secret)");
        }
    }

    @Test
    void norDoesOneThatKnowsTheOneBefore() throws Exception {
        Files.writeString(folder.resolve("key"), KNOWN);
        write("sigma.json", withPlugin("{'key': {'$file': 'key'}}"), OTHERS);
        reloading.reload("ann");
        Files.writeString(folder.resolve("key"), SECRET);
        assertThatThrownBy(() -> reloading.reload("ann"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("(secret) isn't (secret)");
    }

    /** Whatever it throws: the log is searched for what the process has read. */
    @Test
    void whatWasReadIsHiddenInTheLog() throws Exception {
        Files.writeString(folder.resolve("key"), "hunter3 of the log");
        write("sigma.json", withPlugin("{'key': {'$file': 'key'}}"), "'upstream': 1");
        reloading.reloadQuietly("SIGHUP");
        assertThat(HiddenTexts.hide("no hunter3 of the log")).isEqualTo("no (secret)");
    }

    /** As it stays one line, what ends lines in it would be shown as {@code \x0A}. */
    @Test
    void eachLineOfWhatIsSaidIsALineOfTheLog() throws Exception {
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
            reloading.reload("ann");
            write("sigma.json", "'router': 1", "'upstream': 1");
            reloading.reloadQuietly("SIGHUP");
            assertThat(log.lines()).noneMatch(line -> line.contains("\n")).hasSizeGreaterThan(4);
            assertThat(log.lines().getFirst()).startsWith("INFO ann asked for a reload: configuration 2 holds");
            assertThat(log.lines().get(1)).startsWith("INFO routes: 1 ");
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("ERROR "))
                    .hasSizeGreaterThan(1)
                    .first()
                    .asString()
                    .startsWith("ERROR SIGHUP asked for a reload, and all stays as it was: ");
        }
    }

    @Test
    void theLogSaysWhatWasRolledBackTo() throws Exception {
        List<ConfigText> first = reloading.texts();
        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
        reloading.reload("ann");
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            reloading.rollBack("ann", 7, first);
            assertThat(log.lines().getFirst()).startsWith("INFO ann asked for a rollback to 7: configuration 3 holds");
        }
    }

    @Test
    void anErrorOfAReloadThatNobodyWaitsForIsSaid() throws Exception {
        write("sigma.json", withPlugin("{}"), OTHERS);
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            reloading.reloadQuietly("SIGHUP");
            assertThat(log.lines()).singleElement().asString().startsWith("ERROR SIGHUP asked for a reload, ");
        }
        write("sigma.json", ROUTER.replace("/*", "/a/*"), OTHERS);
        reloading.reloadQuietly("SIGHUP");
        assertThat(gateway.generation()).isEqualTo(2);
    }
}
