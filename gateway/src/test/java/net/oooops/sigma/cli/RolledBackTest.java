package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import net.oooops.sigma.HeldFile;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.config.RouterConfig;
import net.oooops.sigma.control.FilesWatch;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What was rolled back stays so, whatever else is written, until the files of configuration say something else; and what is said of files. */
@Isolated("the log")
class RolledBackTest {
    private static final String SIGMA = """
            {
              "include": "routes/routers.json",
              "plugins": {"error-pages": {"404": {"content-type": "text/plain", "file": "page.txt"}}},
              "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [{"id": "u", "nodes-file": "nodes.json"}]
            }
            """;

    private static final Duration LONG = FileAnswers.LIMIT.multipliedBy(4);

    @TempDir
    private Path folder;

    private Gateway gateway;
    private Reloading reloading;
    private List<ConfigText> first;

    @BeforeEach
    void start() throws Exception {
        Files.createDirectory(folder.resolve("routes"));
        write("page.txt", "page 1");
        write("key", "secret 1");
        write("nodes.json", "[\"http://127.0.0.1:1\"]");
        routeTo("/good");
        Conf.Written written = Conf.written(List.of(write("sigma.json", SIGMA)), InputStream.nullInputStream());
        PluginCatalog plugins = new PluginCatalog(RolledBackTest.class.getClassLoader());
        Setup setup = Setup.readToRun(written, plugins);
        gateway = Gateway.start(setup.snapshot(), 1, new VertxOptions());
        reloading = new Reloading(gateway, written, plugins, setup);
        first = reloading.texts();
    }

    @AfterEach
    void stop() {
        gateway.stop(Duration.ZERO);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private void routeTo(String path) throws IOException {
        write("routes/routers.json", """
                {"router": [{
                  "id": "r",
                  "proxy-server-id": "s",
                  "plugin": {"headers": {"request": {"set": {"x-key": {"$file": "../key"}}}}},
                  "route": [{"id": "a", "path": "%s", "proxy-pass-id": "p"}]
                }]}
                """.formatted(path));
    }

    /** To what it was started with; the files say something else. */
    private void rollBack() throws Exception {
        routeTo("/bad");
        watch();
        assertThat(route()).isEqualTo("/bad");
        reloading.rollBack("ann", 1, first);
        assertThat(route()).isEqualTo("/good");
        assertThat(gateway.generation()).isEqualTo(3);
    }

    private void watch() {
        reloading.reloadIfOther("watch");
    }

    private RouterConfig router() {
        return gateway.config().routers().getFirst();
    }

    private String route() {
        return router().routes().getFirst().path().toString();
    }

    private String secret() {
        return router().plugins().getFirst().settings().toString();
    }

    @Test
    void anotherSecretTakesEffectInWhatWasRolledBackTo() throws Exception {
        rollBack();
        write("key", "secret 2");
        watch();
        assertThat(route()).isEqualTo("/good");
        assertThat(secret()).contains("secret 2");
        assertThat(gateway.generation()).isEqualTo(4);
    }

    @Test
    void anotherPageDoesToo() throws Exception {
        rollBack();
        write("page.txt", "page 2");
        watch();
        assertThat(route()).isEqualTo("/good");
        assertThat(gateway.config().errorPages()).isEqualTo(Map.of(404, new ErrorPage("text/plain", "page 2")));
        write("page.txt", "page 3");
        watch();
        assertThat(route()).isEqualTo("/good");
        assertThat(gateway.generation()).isEqualTo(5);
    }

    /** They are followed by themselves, and would be applied twice. */
    @Test
    void filesOfNodesAreNotWatchedHere() throws Exception {
        Path nodes = folder.resolve("nodes.json");
        assertThat(reloading.files()).doesNotContain(nodes);
        rollBack();
        assertThat(reloading.files()).doesNotContain(nodes);
        write("nodes.json", "[\"http://127.0.0.1:2\"]");
        watch();
        assertThat(route()).isEqualTo("/good");
    }

    @Test
    void oneThatIsWrongIsWatchedSinceTheEditWaitsForIt() throws Exception {
        Path nodes = write("nodes.json", "[");
        routeTo("/other");
        watch();
        assertThat(route()).isEqualTo("/good");
        assertThat(reloading.files()).contains(nodes);
        write("nodes.json", "[\"http://127.0.0.1:2\"]");
        watch();
        assertThat(route()).isEqualTo("/other");
        assertThat(reloading.files()).doesNotContain(nodes);
    }

    @Test
    void whatMeansTheSameIsNoOtherConfiguration() throws Exception {
        rollBack();
        write("nodes.json", "[\"http://127.0.0.1:2\"]");
        write("key", "secret 2");
        write("sigma.json", SIGMA.replace("\n", "\n\n"));
        watch();
        assertThat(route()).isEqualTo("/good");
        write("page.txt", "page 2");
        watch();
        assertThat(route()).isEqualTo("/good");

        routeTo("/new");
        watch();
        assertThat(route()).isEqualTo("/new");
        write("key", "secret 3");
        watch();
        assertThat(route()).isEqualTo("/new");
        assertThat(secret()).contains("secret 3");
    }

    @Test
    void filesThatOnlyWhatWasRolledBackToNamesAreWatched() throws Exception {
        write("sigma.json", SIGMA.replaceAll("\"plugins\".*\n", ""));
        watch();
        assertThat(reloading.files()).doesNotContain(folder.resolve("page.txt"));
        reloading.rollBack("ann", 1, first);
        assertThat(reloading.files()).contains(folder.resolve("page.txt"));
        reloading.reload("ann");
        assertThat(reloading.files()).doesNotContain(folder.resolve("page.txt"));
    }

    @Test
    void anEditThatWasRefusedIsNotTriedAgainByWhatElseIsWritten() throws Exception {
        routeTo("/other");
        reloading.reload("ann");
        write("sigma.json", "{");
        watch();
        reloading.rollBack("ann", 1, first);
        write("key", "secret 2");
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            watch();
            assertThat(secret()).contains("secret 2");
            assertThat(log.lines()).noneMatch(line -> line.startsWith("ERROR"));
        }
    }

    @Test
    void aReloadTakesTheFilesAgainAndSoDoesWatchFromThenOn() throws Exception {
        rollBack();
        reloading.reload("ann");
        assertThat(route()).isEqualTo("/bad");
        write("key", "secret 2");
        watch();
        assertThat(route()).isEqualTo("/bad");
        assertThat(secret()).contains("secret 2");
    }

    @Test
    void filesThatArePutRightAreSaidToBeOnce() throws Exception {
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            write("key", "");
            watch();
            write("key", "secret 1");
            watch();
            watch();
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().getFirst()).startsWith("ERROR watch asked for a reload, and all stays as it was: ");
            assertThat(log.lines().getLast()).isEqualTo("INFO watch: the files are fine again, and say what holds");
        }
    }

    @Test
    void soAreThoseOfWhatWasRolledBackTo() throws Exception {
        rollBack();
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            write("key", "");
            watch();
            assertThat(log.lines()).singleElement().asString().startsWith("ERROR ");
            write("key", "secret 1");
            watch();
            watch();
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().getLast())
                    .isEqualTo("INFO watch: fine again: the configuration that was rolled back to holds");
        }
    }

    @Test
    void whatSomebodyRolledBackAfterARefusalIsNotSaidToBeFine() throws Exception {
        write("sigma.json", "{");
        watch();
        reloading.rollBack("ann", 1, first);
        try (LoggedLines log = new LoggedLines(Reloading.class)) {
            watch();
            assertThat(log.lines()).isEmpty();
        }
    }

    private static void awaitAnswer(Path file) {
        Await.until("it answers", () -> {
            try {
                return FileAnswers.<Boolean>of(file, reading -> true);
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Test
    void whereAFileHasNotAnsweredThatIsToldSoThatItIsTriedAgain() throws Exception {
        Path routers = folder.resolve("routes/routers.json");
        routeTo("/other");
        try (HeldFile _ = new HeldFile(routers)) {
            assertThat(reloading.reloadIfOther("watch")).isFalse();
            assertThat(route()).isEqualTo("/good");
        }
        awaitAnswer(routers);
        assertThat(reloading.reloadIfOther("watch")).isTrue();
        assertThat(route()).isEqualTo("/other");
    }

    @Test
    void whatDidNotAnswerWhenItWasRolledBackStaysSo() throws Exception {
        Path routers = folder.resolve("routes/routers.json");
        routeTo("/bad");
        watch();
        try (HeldFile _ = new HeldFile(routers);
                LoggedLines log = new LoggedLines(Reloading.class)) {
            reloading.rollBack("ann", 1, first);
            assertThat(log.lines())
                    .contains(
                            "WARN what the files say isn't known, as not all of them could be read: what they say once"
                                    + " they can counts as rolled back (expected: another edit then, or `sigma reload`)");
        }
        awaitAnswer(routers);
        write("key", "secret 2");
        watch();
        assertThat(route()).isEqualTo("/good");
        assertThat(secret()).contains("secret 2");

        routeTo("/new");
        watch();
        assertThat(route()).isEqualTo("/new");
    }

    /** Nothing is written between the rollback and the next edit. */
    @Test
    void theNextEditAfterARollbackOfWhatDidNotAnswerTakesEffect() throws Exception {
        Path routers = folder.resolve("routes/routers.json");
        routeTo("/bad");
        watch();
        AtomicInteger reads = new AtomicInteger();
        BooleanSupplier follow = () -> {
            boolean answered = reloading.reloadIfOther("watch");
            reads.incrementAndGet();
            return answered;
        };
        try (FilesWatch _ = FilesWatch.start(reloading::files, reloading::takeUnread, follow)) {
            Await.until("what may have changed before", () -> reads.get() == 1);
            try (HeldFile _ = new HeldFile(routers)) {
                reloading.rollBack("ann", 1, first);
            }
            Await.until("read again", LONG, () -> reads.get() == 2);
            assertThat(route()).isEqualTo("/good");
            routeTo("/new");
            Await.value("takes effect", LONG, this::route, "/new"::equals);
        }
    }

    @Test
    void whatDoesNotAnswerAndOnlyWhatWasRolledBackToNamesIsWatchedMeanwhile() throws Exception {
        Path nodes = folder.resolve("nodes.json");
        rollBack();
        write("key", "secret 2");
        try (HeldFile _ = new HeldFile(nodes);
                LoggedLines log = new LoggedLines(Reloading.class)) {
            assertThat(reloading.reloadIfOther("watch")).isFalse();
            assertThat(reloading.files()).contains(nodes);
            int lines = log.lines().size();
            assertThat(lines).isPositive();
            assertThat(reloading.reloadIfOther("watch")).isFalse();
            assertThat(log.lines()).as("the same isn't said again").hasSize(lines);
        }
        awaitAnswer(nodes);
        assertThat(reloading.reloadIfOther("watch")).isTrue();
        assertThat(secret()).contains("secret 2");
        assertThat(reloading.files()).doesNotContain(nodes);
    }

    /** The second time, the files can't tell what was rolled back the first time. */
    @Test
    void whatWasRolledBackStaysSoWhereItIsRolledBackOnceMoreWhileItIsGone() throws Exception {
        routeTo("/second");
        watch();
        List<ConfigText> second = reloading.texts();
        routeTo("/bad");
        watch();
        reloading.rollBack("ann", 1, second);
        Path routers = folder.resolve("routes/routers.json");
        Path away = folder.resolve("away.json");
        Files.move(routers, away);
        reloading.rollBack("ann", 1, first);
        Files.move(away, routers);
        watch();
        assertThat(route()).isEqualTo("/good");

        routeTo("/new");
        watch();
        assertThat(route()).isEqualTo("/new");
    }

    /** What was rolled back is known from the first time. */
    @Test
    void anEditThatIsMadeWhileItDoesNotAnswerTakesEffect() throws Exception {
        routeTo("/second");
        watch();
        List<ConfigText> second = reloading.texts();
        routeTo("/bad");
        watch();
        reloading.rollBack("ann", 1, second);
        Path routers = folder.resolve("routes/routers.json");
        try (HeldFile _ = new HeldFile(routers)) {
            reloading.rollBack("ann", 1, first);
        }
        awaitAnswer(routers);
        watch();
        assertThat(route()).isEqualTo("/good");
        routeTo("/new");
        watch();
        assertThat(route()).isEqualTo("/new");
    }

    @Test
    void whatWasRolledBackStaysSoWhileItDoesNotAnswer() throws Exception {
        rollBack();
        Path routers = folder.resolve("routes/routers.json");
        write("key", "secret 2");
        try (HeldFile _ = new HeldFile(routers);
                LoggedLines log = new LoggedLines(Reloading.class)) {
            assertThat(reloading.reloadIfOther("watch")).isFalse();
            assertThat(log.lines()).noneMatch(line -> line.startsWith("ERROR"));
        }
        assertThat(route()).isEqualTo("/good");
        assertThat(secret()).contains("secret 2");
        awaitAnswer(routers);
        write("key", "secret 3");
        watch();
        assertThat(route()).isEqualTo("/good");
        assertThat(secret()).contains("secret 3");
    }

    /** As on a mount that is taken away, and comes back. */
    @Test
    void whatWasGoneWhenItWasRolledBackStaysSo() throws Exception {
        Path routers = folder.resolve("routes/routers.json");
        Path away = folder.resolve("away.json");
        routeTo("/bad");
        watch();
        Files.move(routers, away);
        reloading.rollBack("ann", 1, first);
        watch();
        assertThat(route()).isEqualTo("/good");
        Files.move(away, routers);
        watch();
        assertThat(route()).isEqualTo("/good");

        routeTo("/new");
        watch();
        assertThat(route()).isEqualTo("/new");
    }

    /** The system finds no way back out of a folder that isn't there. */
    @Test
    void aFolderThatIsGoneKeepsNobodyFromARollback() throws Exception {
        write("sigma.json", SIGMA.replace("\"include\": \"routes/routers.json\",", ""));
        Files.delete(folder.resolve("routes/routers.json"));
        Files.delete(folder.resolve("routes"));
        reloading.reload("ann");
        assertThat(gateway.config().routers()).isEmpty();
        write("key", "secret 2");
        reloading.rollBack("ann", 1, first);
        assertThat(route()).isEqualTo("/good");
        assertThat(secret()).contains("secret 2");
        assertThat(reloading.files()).contains(folder.resolve("key"));
    }
}
