package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.LoopClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandshakesTest {
    private final DefaultEventLoop eventLoop = new DefaultEventLoop();
    private final List<Throwable> thrown = new ArrayList<>();
    private final List<Channel> failed = new ArrayList<>();

    @TempDir
    Path dir;

    @AfterEach
    void end() {
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** What becomes of each; the first that fails can't be told so. */
    private final class Told implements Handshakes.Outcome {
        @Override
        public boolean onAccepted(TlsHandshake handshake) {
            return true;
        }

        @Override
        public void onSecured(Channel channel, TlsSession session) {}

        @Override
        public void onPlain(Channel channel) {}

        @Override
        public void onFailed(Channel channel, Handshakes.Failure why, @Nullable Throwable cause) {
            failed.add(channel);
            if (failed.size() == 1) {
                throw new IllegalStateException("broken");
            }
        }

        @Override
        public void onEnded(TlsHandshake handshake) {}
    }

    @Test
    void oneThatThrowsAsItEndsKeepsNoOtherFromEnding() {
        Certificates certificates = new Certificates(dir);
        ServerTls tls = new ServerTls(Certificates.config(certificates.shown(certificates.issued("a.example"))));
        Handshakes handshakes = new Handshakes(
                tls,
                new Handshakes.Means(
                        eventLoop,
                        new DeadlineWheel(System::nanoTime),
                        new LoopClock(eventLoop, System::nanoTime),
                        new RelayMemory(1 << 20, () -> 0, () -> {}),
                        thrown::add),
                new Handshakes.Bounds(4, TimeUnit.SECONDS.toNanos(10)));
        List<Channel> channels = List.of(underWay(handshakes), underWay(handshakes), underWay(handshakes));

        handshakes.endAll();

        assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(failed).containsExactlyElementsOf(channels);
        assertThat(channels).noneMatch(Channel::isOpen);
        tls.close();
    }

    private Channel underWay(Handshakes all) {
        TlsHandshake handshake = new TlsHandshake(all, new Told(), true);
        Channel channel = new EmbeddedChannel(handshake);
        assertThat(all.mayBegin(handshake, 0)).isTrue();
        return channel;
    }
}
