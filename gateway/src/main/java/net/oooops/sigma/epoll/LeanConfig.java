package net.oooops.sigma.epoll;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelConfig;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The options of a channel of this room: Netty's own, and those that each kind adds, of its socket above all. Any thread. */
abstract class LeanConfig extends EpollChannelConfig {
    final Socket socket;

    LeanConfig(Channel channel, Socket socket, RecvByteBufAllocator allocator) {
        super(channel, allocator);
        this.socket = socket;
    }

    /**
     * What an option is that this kind adds.
     *
     * @return null where it adds no such option
     */
    abstract @Nullable Object added(ChannelOption<?> option) throws IOException;

    /**
     * Sets it.
     *
     * @return whether this kind adds such an option
     */
    abstract boolean setAdded(ChannelOption<?> option, Object value) throws IOException;

    @Override
    @SuppressWarnings("unchecked") // each option's own type
    public final <T> @Nullable T getOption(ChannelOption<T> option) {
        try {
            Object added = added(option);
            return added == null ? super.getOption(option) : (T) added;
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    @Override
    public final <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        try {
            return setAdded(option, value) || super.setOption(option, value);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }
}
