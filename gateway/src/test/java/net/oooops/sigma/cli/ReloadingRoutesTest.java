package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is known of routes goes from one reload to the next. */
class ReloadingRoutesTest extends ReloadingFixture {
    @BeforeEach
    void start() throws Exception {
        start(write(1, "/b"), new PluginCatalog(ReloadingRoutesTest.class.getClassLoader()));
    }

    /**
     * Two routes, of which the first is always the same.
     *
     * @param port of the node
     */
    private Path write(int port, String path) throws IOException {
        String json = """
                {
                  "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                  "proxy-pass": [{"id": "p", "upstream-id": "u"}],
                  "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:%d"]}],
                  "router": [{"id": "r", "proxy-server-id": "s", "route": [
                    {"id": "a", "path": "/a", "proxy-pass-id": "p"},
                    {"id": "b", "path": "%s", "proxy-pass-id": "p"}
                  ]}]
                }
                """.formatted(port, path);
        return Files.writeString(folder.resolve("sigma.json"), json);
    }

    private List<RouteConfig> routes() {
        return gateway.config().routers().getFirst().routes();
    }

    @Test
    void eachReloadKnowsWhatTheLastOneRead() throws Exception {
        List<RouteConfig> first = routes();
        write(2, "/other");
        reloading.reload("a test");
        List<RouteConfig> second = routes();
        write(3, "/other");
        reloading.reload("a test");
        List<RouteConfig> third = routes();

        assertThat(second.getFirst()).isSameAs(first.getFirst());
        assertThat(third.getFirst()).isSameAs(first.getFirst());
        assertThat(second.getLast()).isNotEqualTo(first.getLast());
        assertThat(third.getLast()).isSameAs(second.getLast());
    }

    @Test
    void whatWasRolledBackToIsKnownToo() throws Exception {
        List<ConfigText> texts = reloading.texts();
        List<RouteConfig> first = routes();
        write(2, "/other");
        reloading.reload("a test");
        reloading.rollBack("a test", 1, texts);
        List<RouteConfig> back = routes();
        write(1, "/b");
        reloading.reload("a test");

        assertThat(back.getFirst()).isSameAs(first.getFirst());
        assertThat(back.getLast()).isEqualTo(first.getLast());
        assertThat(routes().getLast()).isSameAs(back.getLast());
    }
}
