package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.cli.SteeringTest.Said;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that follows the sigma.json of a folder of its own, and is asked from the command line. */
@SuppressWarnings("NullAway.Init")
abstract class SteeredFixture {
    /** A server whose one route leads all to one upstream. */
    static final String JSON = """
            {
              "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
              "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}]
            }
            """;

    @TempDir
    Path folder;

    final Path write(String json) throws IOException {
        return Files.writeString(folder.resolve("sigma.json"), json);
    }

    /** Starts it in this process, with one Worker. */
    final Running run(String json) throws IOException {
        return Running.start(new RunWords(
                RunWords.VERTICLE, List.of(write(json)), null, 1, folder.resolve("run"), false, FirstWords.NONE));
    }

    final Said say(String... words) {
        return SteeringTest.say(folder.resolve("run"), words);
    }
}
