package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A source is asked for no more than its client takes, so that many clients that read nothing hold little. */
@Isolated("direct memory")
class StreamMemoryTest {
    private static final int MEBI = 1 << 20;
    private static final int CLIENTS = 20;

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "NIO", "IO_URING", "WATCHED"})
    void clientsThatReadNothingHoldLittle(Way way) throws IOException {
        List<GivenSource> sources = new ArrayList<>();
        AtomicLong given = new AtomicLong();
        Probe answers = Probe.probe().onRequest(_ -> {
            GivenSource source = GivenSource.of(GeneratedBody.of(4, 10 * MEBI));
            sources.add(source);
            return source.outcome();
        });
        List<RawClient> clients = new ArrayList<>();
        try (GatewayFixture gateway = way.gateway(answers, given).start();
                DirectMemory memory = DirectMemory.watched()) {
            for (int i = 0; i < CLIENTS; i++) {
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8192));
                clients.add(client);
                client.deadline(Duration.ofSeconds(30)).send(Ask.get("/")).readHead();
            }
            Ask.standstill(
                    "what sources give",
                    () -> sources.stream()
                            .mapToLong(source -> source.given.get())
                            .sum());
            assertThat(memory.grownBytesMax()).isLessThan(24 * MEBI);
            byte[] whole = GeneratedBody.of(4, 10 * MEBI).toBytes();
            assertThat(clients.getFirst().readRest().body()).isEqualTo(whole);
            sources.getFirst().closed();
            clients.forEach(RawClient::reset);
            sources.subList(1, CLIENTS).forEach(source -> source.closed(Fault.CLIENT_GONE));
        }
    }
}
