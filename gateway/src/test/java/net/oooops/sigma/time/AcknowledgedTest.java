package net.oooops.sigma.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AcknowledgedTest {
    @BeforeEach
    void needed() {
        Needed.transport(Transport.EPOLL);
    }

    /** The kernel says that it knows no such thing, for which Netty has an exception of its own. */
    @Test
    void aSocketThatIsNotOfTcpIsNotKnown() {
        Channel other = new EpollDomainSocketChannel();
        assertThat(Acknowledged.of(other)).isNull();
        other.unsafe().closeForcibly();
    }

    /** Another one may have its descriptor. */
    @Test
    void aClosedOneIsNotAsked() {
        Channel one = new EpollSocketChannel();
        assertThat(Acknowledged.of(one)).isEqualTo(new Acknowledged(0, 0));
        one.unsafe().closeForcibly();
        assertThat(Acknowledged.of(one)).isNull();
    }

    @Test
    void whatShowsNoDescriptorIsNotKnown() {
        assertThat(Acknowledged.of(new EmbeddedChannel())).isNull();
    }
}
