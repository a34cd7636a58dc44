package net.oooops.sigma.call;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Clients that wait for the connection of one node, and what goes wrong with one of them. */
@Isolated("the log")
class HeldClientsTest {
    /** A log that can't be written to. */
    private static final class Broken extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger(Worker.class);
        private final String text;
        private int thrown;

        Broken(String text) {
            this.text = text;
            logger.addAppender(this);
        }

        @Override
        public synchronized void doAppend(ILoggingEvent event) {
            if (event.getFormattedMessage().contains(text)) {
                thrown++;
                throw new IllegalStateException("the log is broken");
            }
        }

        @Override
        protected void append(ILoggingEvent event) {}

        @Override
        public void close() {
            logger.detachAppender(this);
        }
    }

    private static byte[] joined(byte[]... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] each : parts) {
            all.write(each);
        }
        return all.toByteArray();
    }

    private static byte[] call(int id) {
        return BoltMessage.request(2, id, "a.B", "x").bytes();
    }

    @Test
    void whatIsThrownForOneCostsNoneOfTheOthers() throws IOException {
        try (RawServer server = RawServer.start(8 << 10);
                BoltFixture gateway = BoltFixture.to(server)
                        .runtime("send-buffer", "8KiB")
                        .nodes("connections-per-node", 1)
                        .start();
                RawClient first = gateway.connect();
                RawClient broken = gateway.connect();
                RawClient last = gateway.connect();
                Broken log = new Broken("closed over a frame")) {
            first.send(BoltMessage.request(2, 1, "a.B", "")
                    .withContent(new byte[1 << 20])
                    .bytes());
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 1);
            // Each is held with what comes behind its call.
            broken.send(joined(call(1), "what is this".getBytes(US_ASCII)));
            gateway.awaitCount(Counter.CALLS_IN_FLIGHT, 2);
            last.send(joined(call(1), call(2)));
            gateway.awaitCount(Counter.CALLS_IN_FLIGHT, 3);
            Echo.serve(server.accept());
            assertThat(BoltMessage.read(first).content()).hasSize(1 << 20);
            assertThat(BoltMessage.read(last).id()).isEqualTo(1);
            assertThat(BoltMessage.read(last).id()).isEqualTo(2);
            broken.expectClosed();
            assertThat(log.thrown).isOne();
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isOne();
        }
    }
}
