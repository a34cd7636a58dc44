package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log")
class ServerOrderTest {
    private static final String HOST = "a.sigma.test";
    private static final InetSocketAddress A = server(1);
    private static final InetSocketAddress B = server(2);
    private static final InetSocketAddress C = server(3);

    /** The clock of the system may be anywhere. */
    private long now = Long.MAX_VALUE;

    private final ServerOrder order = order(A, B, C);

    private ServerOrder order(InetSocketAddress... servers) {
        return new ServerOrder(
                new NameResolution.Settings(
                        TimeUnit.SECONDS.toNanos(2), 1, 300, 1, new SequentialDnsServerAddressStreamProvider(servers)),
                () -> now);
    }

    private static InetSocketAddress server(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static List<InetSocketAddress> first(ServerOrder order) {
        return order.asked(HOST, 0);
    }

    private static InetSocketAddress further(ServerOrder order, int number) {
        return order.asked(HOST, number).getFirst();
    }

    @Test
    void triesGoThroughThemInTheirOrder() {
        assertThat(first(order)).containsExactly(A, B, C);
        assertThat(order.asked(HOST, 1)).containsExactly(B);
        assertThat(order.asked(HOST, 2)).containsExactly(C);
    }

    @Test
    void ofOneAllTriesAskThatOne() {
        ServerOrder one = order(A);
        assertThat(first(one)).containsExactly(A);
        one.unanswered(A, now);
        for (int i = 0; i < ServerOrder.TRIES; i++) {
            assertThat(one.asked(HOST, i)).containsExactly(A);
        }
        assertThat(one.retried()).isEmpty();
    }

    @Test
    void whoIsLateIsAskedByTheLastTryAlone() {
        first(order);
        order.unanswered(A, now);
        assertThat(first(order)).containsExactly(B, C);
        assertThat(further(order, 1)).isEqualTo(C);
        assertThat(further(order, 2)).isEqualTo(A);
        order.unanswered(B, now);
        assertThat(first(order)).containsExactly(C);
        assertThat(further(order, 1)).as("again, as it may be lost").isEqualTo(C);
    }

    @Test
    void allAreAskedWhereAllAreLate() {
        first(order);
        for (InetSocketAddress each : List.of(A, B, C)) {
            order.unanswered(each, now);
        }
        now += ServerOrder.RETRIED_NANOS;
        assertThat(order.retried()).as("they are asked anyway").isEmpty();
        assertThat(first(order)).containsExactly(A, B, C);
        order.answered(B, now);
        assertThat(first(order)).containsExactly(B);
    }

    @Test
    void thatOthersAreAskedIsSaidWhereThereAreOthers() {
        first(order);
        try (LoggedLines log = new LoggedLines(ServerOrder.class)) {
            for (InetSocketAddress each : List.of(A, B, C)) {
                order.unanswered(each, now);
            }
            assertThat(log.lines())
                    .containsExactly(
                            "WARN name server 127.0.0.1:1: no answer; others are asked",
                            "WARN name server 127.0.0.1:2: no answer; others are asked",
                            "WARN name server 127.0.0.1:3: no answer");
        }
    }

    /** It answers questions for IPv4 addresses, and drops others, for one. */
    @Test
    void whoHasAnsweredSinceIsNotLate() {
        first(order);
        long asked = now;
        now++;
        order.answered(A, asked);
        order.unanswered(A, asked);
        assertThat(first(order)).containsExactly(A, B, C);
        order.unanswered(A, now + 1);
        assertThat(first(order)).containsExactly(B, C);
    }

    @Test
    void whoIsLateIsTriedNowAndThenAndIsSoundWhenItAnswersSoon() {
        first(order);
        order.unanswered(A, now);
        assertThat(order.retried()).isEmpty();
        now += ServerOrder.RETRIED_NANOS;
        assertThat(order.retried()).containsExactly(A);
        assertThat(order.retried()).as("once").isEmpty();
        long asked = now;
        now += order.pauseNanos() + 1;
        order.answered(A, asked);
        assertThat(first(order)).as("by then another try was made").containsExactly(B, C);
        now = asked + ServerOrder.RETRIED_NANOS;
        assertThat(order.retried()).containsExactly(A);
        order.answered(A, now);
        assertThat(first(order)).containsExactly(A, B, C);
    }

    @Test
    void ofOthersNothingIsRemembered() {
        first(order);
        InetSocketAddress other = server(4);
        order.unanswered(other, now);
        order.answered(other, now);
        now += ServerOrder.RETRIED_NANOS;
        assertThat(order.retried()).isEmpty();
        assertThat(first(order)).containsExactly(A, B, C);
    }
}
