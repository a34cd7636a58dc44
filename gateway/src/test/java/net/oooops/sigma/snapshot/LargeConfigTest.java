package net.oooops.sigma.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.plugin.PluginMaker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reload of many Routes makes is what stops event loops: the collector copies what is alive of it. */
class LargeConfigTest {
    private static final int ROUTES = 4_000;
    /** 6,000 without the second compiler; it was 9,600. */
    private static final long BYTES_OF_ROUTE_MAX = 7_500;

    /** 1,250. */
    private static final long BYTES_OF_KNOWN_ROUTE_READ_MAX = 2_000;
    /** 3,500, with what is made of it. */
    private static final long BYTES_OF_KNOWN_ROUTE_MAX = 4_500;

    /** 2,050 where two have a path; it was 7,600. */
    private static final long BYTES_OF_SHARED_PATH_READ_MAX = 2_800;
    /** 5,600 where they have conditions, too; it was 9,800. */
    private static final long BYTES_OF_CONDITIONS_READ_MAX = 7_500;

    private static final PluginMaker NO_PLUGINS = (name, settings) -> {
        throw new AssertionError(name);
    };

    @Test
    void aRouteIsReadCheckedAndCompiledWithoutMuchGarbage() {
        byte[] json = json(differentPaths());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        compiled(json);

        long before = threads.getCurrentThreadAllocatedBytes();
        compiled(json);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated / ROUTES).isLessThan(BYTES_OF_ROUTE_MAX);
    }

    @Test
    void aRouteThatWasThereBeforeMakesAFractionOfThat(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("sigma.json"), json(differentPaths()));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ConfigResult.Valid second = readTwice(file);

        long before = threads.getCurrentThreadAllocatedBytes();
        ConfigResult.Valid third = valid(reader(second).read(file));
        long read = threads.getCurrentThreadAllocatedBytes() - before;
        SnapshotCompiler.compile(third.config(), NO_PLUGINS).close();
        long all = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(read / ROUTES).isLessThan(BYTES_OF_KNOWN_ROUTE_READ_MAX);
        assertThat(all / ROUTES).isLessThan(BYTES_OF_KNOWN_ROUTE_MAX);
    }

    /** As those of an API do: one for each method. */
    @Test
    void routesThatSharePathsAreComparedByWhatIsKnown(@TempDir Path folder) throws IOException {
        assertThat(bytesOfRouteReadAgain(folder, sharedPaths(""))).isLessThan(BYTES_OF_SHARED_PATH_READ_MAX);
    }

    /** They are read for it: conditions are compared as they are written. */
    @Test
    void routesThatSharePathsUnderConditionsAreReadWithoutMuchGarbage(@TempDir Path folder) throws IOException {
        String condition = ", \"header\": [{\"name\": \"x-version\", \"exact\": \"2\"}]";

        assertThat(bytesOfRouteReadAgain(folder, sharedPaths(condition))).isLessThan(BYTES_OF_CONDITIONS_READ_MAX);
    }

    private static long bytesOfRouteReadAgain(Path folder, String routes) throws IOException {
        Path file = Files.write(folder.resolve("sigma.json"), json(routes));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ConfigResult.Valid second = readTwice(file);

        long before = threads.getCurrentThreadAllocatedBytes();
        valid(reader(second).read(file));
        return (threads.getCurrentThreadAllocatedBytes() - before) / ROUTES;
    }

    private static ConfigResult.Valid readTwice(Path file) {
        return valid(reader(valid(new ConfigReader(Map.of()).read(file))).read(file));
    }

    private static ConfigReader reader(ConfigResult.Valid before) {
        return new ConfigReader(Map.of()).knowing(before.routes());
    }

    private static void compiled(byte[] json) {
        ConfigResult result = new ConfigReader(Map.of()).read(json, Path.of("").toAbsolutePath());
        SnapshotCompiler.compile(valid(result).config(), NO_PLUGINS).close();
    }

    private static ConfigResult.Valid valid(ConfigResult result) {
        if (!(result instanceof ConfigResult.Valid valid)) {
            throw new AssertionError(((ConfigResult.Invalid) result).text(""));
        }
        return valid;
    }

    private static byte[] json(String routes) {
        String json =
                "{\"proxy-server\": {\"http\": {\"id\": \"web\", \"host\": \"127.0.0.1\", \"port\": 0}}, \"router\": [{\"id\": \"main\","
                        + " \"proxy-server-id\": \"web\", \"route\": ["
                        + routes
                        + "]}], \"proxy-pass\": [{\"id\": \"app\", \"upstream-id\": \"app\"}],"
                        + " \"upstream\": [{\"id\": \"app\", \"nodes\": [\"http://127.0.0.1:9\"]}]}";
        return json.getBytes(UTF_8);
    }

    private static String differentPaths() {
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < ROUTES; i++) {
            json.append(i == 0 ? "" : ",\n")
                    .append("{\"id\": \"route-")
                    .append(i)
                    .append("\", \"path\": \"/api/v1/team-");
            json.append(i % 97)
                    .append("/thing-")
                    .append(i)
                    .append(i % 3 == 0 ? "/:id/part" : "/*")
                    .append('"');
            json.append(i % 2 == 0 ? ", \"allow-method\": [\"GET\", \"POST\"]" : "");
            json.append(", \"proxy-pass-id\": \"app\"}");
        }
        return json.toString();
    }

    /** Two on each path. */
    private static String sharedPaths(String condition) {
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < ROUTES; i++) {
            json.append(i == 0 ? "" : ",\n")
                    .append("{\"id\": \"route-")
                    .append(i)
                    .append("\", \"path\": \"/api/v1/thing-")
                    .append(i / 2)
                    .append(i % 2 == 0 ? "/:id\", \"allow-method\": [\"GET\"]" : "/:id\", \"allow-method\": [\"POST\"]")
                    .append(condition)
                    .append(", \"proxy-pass-id\": \"app\"}");
        }
        return json.toString();
    }
}
