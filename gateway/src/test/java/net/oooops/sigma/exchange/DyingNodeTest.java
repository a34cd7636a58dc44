package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node that dies takes all that it has at work with it, at once: more than a retry budget of what clients ask has. On connections that
 * were never used before, so that none is taken for one that was closed as idle.
 */
@Tag("plain") // Hundreds of handshakes would be what is measured.
class DyingNodeTest {
    private static final int CLIENTS = 400;
    /** What it has at work when it dies, at least, however busy the machine is. */
    private static final int LOST = CLIENTS / 10;

    private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long BEFORE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private final AtomicBoolean over = new AtomicBoolean();

    @Test
    void whatItHadAtWorkIsAnsweredByTheOthers() throws Exception {
        try (ScriptedUpstream one = ScriptedUpstream.start(request -> atWork());
                ScriptedUpstream two = ScriptedUpstream.start(request -> atWork());
                ScriptedUpstream three = ScriptedUpstream.start(request -> atWork());
                GatewayFixture gateway = GatewayFixture.to(one, two, three).start()) {
            Queue<Object> outcomes =
                    PoolTest.concurrently(CLIENTS + 1, number -> number == 0 ? die(one) : ask(gateway));
            assertThat(outcomes).containsOnly("fine");
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isGreaterThanOrEqualTo(LOST);
            assertThat(gateway.faults(Fault.UPSTREAM_CLOSED)).isZero();
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET)).isZero();
        }
    }

    private static Answer atWork() {
        LockSupport.parkNanos(WORK_NANOS);
        return Answer.ok("ok").header("Connection", "close");
    }

    private Object die(ScriptedUpstream node) {
        long since = System.nanoTime();
        try {
            Await.until("they are under load", () -> System.nanoTime() - since > BEFORE_NANOS);
            node.stopAccepting();
            node.resetConnections();
            long dead = System.nanoTime();
            Await.until("all go on", () -> System.nanoTime() - dead > BEFORE_NANOS);
            return "fine";
        } finally {
            over.set(true);
        }
    }

    private Object ask(GatewayFixture gateway) throws IOException {
        try (RawClient client = gateway.connect().deadline(Crowd.PATIENCE)) {
            while (!over.get()) {
                int status = client.send(Ask.get("/")).readResponse().status();
                if (status != 200) {
                    return status;
                }
            }
            return "fine";
        }
    }
}
