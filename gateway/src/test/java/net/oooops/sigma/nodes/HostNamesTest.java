package net.oooops.sigma.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.names.NameServer;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes with names, and what name servers may do to a whole gateway. */
@Timeout(60)
class HostNamesTest {
    private static final String NAME = "node.sigma.test";

    /** More than fit into a datagram. */
    private static final int MANY = 100;

    private final NameServer names = NameServer.start();
    /** Each of its answers takes a connection of its own. */
    private final ScriptedUpstream node = ScriptedUpstream.start(
            UpstreamOptions.defaults().withHost("0.0.0.0"),
            request -> Answer.ok("hello").header("Connection", "close"));

    @AfterEach
    void close() {
        names.close();
        node.close();
    }

    private ChangingGateway.Builder gateway() {
        return gateway(names);
    }

    private ChangingGateway.Builder gateway(NameServer by) {
        return ChangingGateway.http()
                .upstream("nodes", List.of("http://" + NAME + ":" + node.port()))
                .setting(
                        "dns",
                        Map.of("servers", List.of("127.0.0.1:" + by.address().getPort()), "timeout", "20s"));
    }

    private static int status(ChangingGateway gateway) throws IOException {
        try (RawClient client = gateway.connect()) {
            return ChangingGateway.ask(client).status();
        }
    }

    private static String[] many() {
        return IntStream.rangeClosed(1, MANY).mapToObj(i -> "127.0.1." + i).toArray(String[]::new);
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"NIO", "EPOLL", "IO_URING"})
    void anAnswerThatIsCutIsAskedForOverTcp(Transport transport) throws IOException {
        Needed.transport(transport);
        names.answer(NAME, 60, many());
        try (ChangingGateway gateway = gateway()
                .setting("transport", transport.name().toLowerCase(Locale.ROOT))
                .start()) {
            for (int i = 0; i < 3; i++) {
                assertThat(status(gateway)).isEqualTo(200);
            }
            assertThat(names.questionsOverTcp()).isEqualTo(1);
        }
    }

    @Test
    void eachNameIsAskedForOnceWhateverWorkersThereAre() throws IOException {
        List<String> three = List.of("a.sigma.test", "b.sigma.test", "c.sigma.test");
        three.forEach(name -> names.answer(name, 60, "127.0.0.1"));
        List<String> nodes =
                three.stream().map(name -> "http://" + name + ":" + node.port()).toList();
        try (ChangingGateway gateway =
                gateway().upstream("nodes", nodes).workers(4).start()) {
            for (int i = 0; i < 60; i++) {
                assertThat(status(gateway)).isEqualTo(200);
            }
            assertThat(three)
                    .allSatisfy(
                            name -> assertThat(names.questions(name)).as(name).isEqualTo(1));
        }
    }

    @Test
    void workersAskOtherNameServersAfterAReload() throws IOException {
        names.answer(NAME, 1, "127.0.0.1");
        try (NameServer other = NameServer.start();
                ChangingGateway gateway = gateway().workers(2).start()) {
            assertThat(status(gateway)).isEqualTo(200);
            other.answer(NAME, 60, "127.0.0.1");
            gateway.follow(gateway(other).workers(2));
            Await.until("the other one is asked", () -> {
                try (RawClient client = gateway.connect()) {
                    assertThat(ChangingGateway.ask(client).status()).isEqualTo(200);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return other.questions(NAME) == 1;
            });
        }
    }

    /** A Worker that has never asked for the name uses what another one was told. */
    @Test
    void whatOneWorkerWasToldAllKnowWhenTheNameServerIsGone() throws IOException {
        names.answer(NAME, 1, "127.0.0.1");
        try (ChangingGateway gateway = gateway().workers(3).start();
                RawClient kept = gateway.connect()) {
            assertThat(ChangingGateway.ask(kept).status()).isEqualTo(200);
            names.silence();
            for (int i = 0; i < 20; i++) {
                assertThat(status(gateway)).isEqualTo(200);
            }
            assertThat(gateway.gateway().answers().all().addresses()).containsOnlyKeys(NAME);
        }
    }
}
