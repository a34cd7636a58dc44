package net.oooops.sigma.listen;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.vertx.core.transport.Transport;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.epoll.LeanServerChannel;
import net.oooops.sigma.epoll.LeanSocketChannel;
import net.oooops.sigma.epoll.SteadyEpoll;
import net.oooops.sigma.ring.RingServerChannel;
import net.oooops.sigma.ring.RingSocketChannel;
import net.oooops.sigma.ring.RingTransport;
import org.jspecify.annotations.Nullable;

/**
 * How sockets are driven: one of Vert.x's transports, and why that one. Decided once at start.
 *
 * @param transport Vert.x's transport
 * @param reason in words for the operator
 */
public record SocketTransport(Transport transport, String reason) {
    /** What {@code auto} tries, in this order; why in this order, docs/adr says. Nothing is measured at start. */
    private static final List<RuntimeConfig.Transport> IN_ORDER =
            List.of(RuntimeConfig.Transport.EPOLL, RuntimeConfig.Transport.IO_URING, RuntimeConfig.Transport.KQUEUE);

    private static final String MULTI_SHOT_POLL = "io.netty.iouring.pollAddMultishotEnabled";

    static {
        // A multi-shot poll tells of a change once. Netty 4.2.18 takes a socket for drained whose last bytes came with
        // a RST, or
        // whose reading was paused and goes on, and then waits for ever.
        if (System.getProperty(MULTI_SHOT_POLL) == null) {
            System.setProperty(MULTI_SHOT_POLL, "false");
        }
    }

    /**
     * Chooses the transport.
     *
     * @throws IllegalStateException where one is asked for that doesn't work here; the message says why
     */
    public static SocketTransport choose(RuntimeConfig.Transport wish) {
        if (wish != RuntimeConfig.Transport.AUTO) {
            Transport asked = of(wish);
            if (asked == null || !asked.available()) {
                throw new IllegalStateException("runtime.transport: \"" + wordOf(wish)
                        + "\" (expected: one that works here; " + whyNot(asked) + ")");
            }
            return new SocketTransport(asked, "as sigma.json says");
        }
        List<String> passed = new ArrayList<>();
        for (RuntimeConfig.Transport candidate : IN_ORDER) {
            Transport transport = of(candidate);
            if (transport != null && transport.available()) {
                String others = passed.isEmpty() ? "" : "; " + String.join("; ", passed);
                return new SocketTransport(transport, "auto: the first of its order that works here" + others);
            }
            passed.add("not " + wordOf(candidate) + ": " + whyNot(transport));
        }
        return new SocketTransport(Transport.NIO, "auto: " + String.join("; ", passed));
    }

    private static @Nullable Transport of(RuntimeConfig.Transport wish) {
        return switch (wish) {
            case IO_URING -> IoUring.isAvailable() ? new RingTransport() : Transport.IO_URING;
            case EPOLL -> Epoll.isAvailable() ? new SteadyEpoll() : Transport.EPOLL;
            case KQUEUE -> Transport.KQUEUE;
            case NIO, AUTO -> Transport.NIO;
        };
    }

    private static String wordOf(RuntimeConfig.Transport transport) {
        return transport.name().toLowerCase(java.util.Locale.ROOT);
    }

    private static String whyNot(@Nullable Transport transport) {
        if (transport == null || transport.unavailabilityCause() == null) {
            return "its native library is not for this system";
        }
        Throwable cause = transport.unavailabilityCause();
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    /** {@code io_uring}, {@code epoll}, {@code kqueue} or {@code nio}. */
    public String name() {
        return transport.name();
    }

    /**
     * Makes sockets that are to listen at that address: for one of IPv4, sockets of IPv4, by which nobody comes by IPv6. For {@code ::} they take both.
     *
     * @param address null where it isn't known, and none will be bound
     */
    public ChannelFactory<? extends ServerChannel> serverChannels(@Nullable InetAddress address) {
        boolean ipv4 = address instanceof Inet4Address;
        return switch (name()) {
            case "io_uring" -> () -> new RingServerChannel(new StreamSocket(ipv4));
            case "epoll" -> () -> new LeanServerChannel(ipv4 ? SocketProtocolFamily.INET : null);
            case "kqueue" -> transport.implementation().serverChannelFactory(false);
            default -> nioServerChannels(address);
        };
    }

    /** The same of Java's own sockets. */
    public static ChannelFactory<? extends ServerChannel> nioServerChannels(@Nullable InetAddress address) {
        SocketProtocolFamily family = address instanceof Inet4Address ? SocketProtocolFamily.INET : null;
        return () -> new NioServerSocketChannel(SelectorProvider.provider(), family);
    }

    /** Of TCP. Netty's own are of IPv6 wherever there is IPv6, whatever they are bound to. */
    private static final class StreamSocket extends Socket {
        StreamSocket(boolean ipv4) {
            super(newSocketStream0(!ipv4 && isIPv6Preferred()));
        }
    }

    /** Makes sockets to nodes. */
    public ChannelFactory<? extends Channel> clientChannels() {
        return switch (name()) {
            case "io_uring" -> RingSocketChannel::new;
            case "epoll" -> LeanSocketChannel::new;
            default -> transport.implementation().channelFactory(false);
        };
    }

    /** Whether connections have what the socket that listens has of {@code TCP_NODELAY}, so that it needn't be set for each. */
    boolean inheritsNoDelay() {
        return name().equals("epoll") || name().equals("io_uring");
    }

    /** The option by which several Workers bind one port and the kernel shares connections out, or null where it can't. */
    public @Nullable ChannelOption<Boolean> sharedPort() {
        return switch (name()) {
            case "io_uring" -> IoUringChannelOption.SO_REUSEPORT;
            case "epoll" -> EpollChannelOption.SO_REUSEPORT;
            case "nio" ->
                System.getProperty("os.name", "").startsWith("Linux")
                        ? NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT)
                        : null;
            // BSD's SO_REUSEPORT gives all connections to one of the sockets.
            default -> null;
        };
    }
}
