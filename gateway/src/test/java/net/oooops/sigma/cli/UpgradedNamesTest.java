package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.names.NameServer;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What name servers have said last goes from process to process: they may say nothing to the new one. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
@SuppressWarnings("NullAway.Init")
class UpgradedNamesTest extends UpgradeFixture {
    private final NameServer names = NameServer.start();
    private ScriptedUpstream node;
    private SigmaProcess sigma;

    @BeforeEach
    void start() throws Exception {
        node = ScriptedUpstream.start(request -> Answer.ok("yes").header("Connection", "close"));
        String json = """
                {"proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                 "router": [{"id": "r", "proxy-server-id": "s", "route": [
                    {"id": "s", "path": "/service", "proxy-pass-id": "s"}, {"id": "h", "path": "/*", "proxy-pass-id": "h"}]}],
                 "proxy-pass": [{"id": "h", "upstream-id": "h"}, {"id": "s", "upstream-id": "s"}],
                 "upstream": [{"id": "h", "nodes": ["http://node.sigma.test:%d"]}, {"id": "s", "dns-srv": "service.sigma.test"}],
                 "runtime": {"dns": {"servers": ["127.0.0.1:%d"], "timeout": "2s"}}}
                """.formatted(node.port(), names.address().getPort());
        names.answer("node.sigma.test", 1, "127.0.0.1");
        names.answer("other.sigma.test", 1, "127.0.0.1");
        names.srv("service.sigma.test", 1, "other.sigma.test", node.port());
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        sigma = SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString()));
        sigma.awaitListening();
    }

    @AfterEach
    void close() throws IOException {
        sigma.close();
        node.close();
        names.close();
    }

    private void assertServed() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(status("/host")).isEqualTo(200);
            assertThat(status("/service")).isEqualTo(200);
        }
    }

    private int status(String path) throws IOException {
        try (RawClient client = RawClient.connect(sigma.port())) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")
                    .readResponse()
                    .status();
        }
    }

    @Test
    void withoutNameServersTheNewProcessServesAsTheOneBefore() throws Exception {
        assertServed();
        names.silence();
        for (int i = 0; i < 2; i++) {
            long before = serving();
            assertThat(say("upgrade").exitCode()).isZero();
            Await.until("the new one serves", () -> serving() != before && serving() != 0);
            assertServed();
        }
        names.speak();
        assertServed();
    }
}
