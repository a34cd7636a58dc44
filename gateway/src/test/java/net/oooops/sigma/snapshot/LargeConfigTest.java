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

    private static final PluginMaker NO_PLUGINS = (name, settings) -> {
        throw new AssertionError(name);
    };

    @Test
    void aRouteIsReadCheckedAndCompiledWithoutMuchGarbage() {
        byte[] json = json();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        compiled(json);

        long before = threads.getCurrentThreadAllocatedBytes();
        compiled(json);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated / ROUTES).isLessThan(BYTES_OF_ROUTE_MAX);
    }

    @Test
    void aRouteThatWasThereBeforeMakesAFractionOfThat(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("sigma.json"), json());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ConfigResult.Valid first = valid(new ConfigReader(Map.of()).read(file));
        ConfigResult.Valid second = valid(reader(first).read(file));

        long before = threads.getCurrentThreadAllocatedBytes();
        ConfigResult.Valid third = valid(reader(second).read(file));
        long read = threads.getCurrentThreadAllocatedBytes() - before;
        SnapshotCompiler.compile(third.config(), NO_PLUGINS).close();
        long all = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(read / ROUTES).isLessThan(BYTES_OF_KNOWN_ROUTE_READ_MAX);
        assertThat(all / ROUTES).isLessThan(BYTES_OF_KNOWN_ROUTE_MAX);
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

    private static byte[] json() {
        StringBuilder json = new StringBuilder(
                "{\"proxy-server\": {\"http\": {\"id\": \"web\", \"host\": \"127.0.0.1\", \"port\": 0}}, \"router\": [{\"id\": \"main\","
                        + " \"proxy-server-id\": \"web\", \"route\": [");
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
        json.append("]}], \"proxy-pass\": [{\"id\": \"app\", \"upstream-id\": \"app\"}],");
        json.append(" \"upstream\": [{\"id\": \"app\", \"nodes\": [\"http://127.0.0.1:9\"]}]}");
        return json.toString().getBytes(UTF_8);
    }
}
