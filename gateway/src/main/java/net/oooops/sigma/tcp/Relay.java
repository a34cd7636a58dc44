package net.oooops.sigma.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import net.oooops.sigma.memory.RelayMemory;
import org.jspecify.annotations.Nullable;

/**
 * The two connections of a session, put together: what one receives the other sends. Where a side can't be written, the other isn't
 * read. Where a side ends its output, so does the other, after all that came before, and the way back stays open.
 *
 * <pre>
 *   HALF (the client's side alone, not read) ─▶ begin ─▶ BOTH ─▶ both outputs ended ─▶ CLOSED
 *     both outputs ended, but one side may still send what nobody takes ─▶ ENDING ─▶ its input ended ─▶ CLOSED
 *     any ─▶ reset by a side ─▶ ENDING (the other side gets what was read before) ─▶ both reset, CLOSED
 *     any ─▶ abort ─▶ both reset, CLOSED
 * </pre>
 *
 * A session ends with FIN only where both sides said FIN; every other end is a RST on both sides, so that none takes it for complete.
 *
 * <p>Called on the one event loop of both connections only.
 */
final class Relay {
    /** How a session ended by itself. */
    public enum End {
        /** Both sides said that they have nothing more to send, and got all. */
        COMPLETE,
        /** The client's connection was reset. */
        CLIENT_RESET,
        /** The node's connection was reset. */
        NODE_RESET
    }

    /** Is told what happens. */
    public interface Watcher {
        /** The client's connection is open. */
        void onOpened();

        /** The node sent something, which is passed on. Called once for each turn of reading. */
        void onNodeRead();

        /**
         * One side was reset, and the other gets what was read before; or a side has ended both ways, and the other is to end, too. However
         * long that takes, unless {@link #abort} comes first.
         */
        void onEnding();

        /** Something was thrown: a fault of Sigma's own. */
        void onThrown(Throwable cause);

        /**
         * Both connections are closed. Called once.
         *
         * @param end null where {@link #abort} was called before a side had ended it
         */
        void onEnd(@Nullable End end);
    }

    private enum State {
        HALF,
        BOTH,
        ENDING,
        CLOSED
    }

    private final Watcher watcher;
    private final RelaySide client;
    private final RelaySide node;
    private State state = State.HALF;
    private @Nullable End end;
    /** The side that was reset first. */
    private @Nullable RelaySide gone;

    /**
     * A relay for one session.
     *
     * @param memory of the Worker
     */
    public Relay(Watcher watcher, RelayMemory memory) {
        this.watcher = watcher;
        this.client = new RelaySide(this, true, memory);
        this.node = new RelaySide(this, false, memory);
    }

    /** The handler of the client's connection, to be added at once. */
    public ChannelHandler client() {
        return client;
    }

    /**
     * What has to hold of the client's connection before anything is read from it.
     *
     * @param writeBytesMax about so many bytes may wait to be sent before the other side isn't read
     */
    public void prepareClient(Channel channel, int writeBytesMax) {
        prepare(channel, client, writeBytesMax);
    }

    /**
     * The same of the node's.
     *
     * @param writeBytesMax as for the client's
     */
    public void prepareNode(Channel channel, int writeBytesMax) {
        prepare(channel, node, writeBytesMax);
    }

    private static void prepare(Channel channel, RelaySide side, int writeBytesMax) {
        ChannelConfig config = channel.config();
        side.bound(channel, writeBytesMax);
        config.setRecvByteBufAllocator(side.readSize());
        config.setAutoRead(false);
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        // What a side sent before it was reset can still be read when a write to it has failed.
        config.setOption(ChannelOption.AUTO_CLOSE, false);
    }

    /**
     * The node's connection is open: bytes begin to pass.
     */
    public void begin(Channel toNode) {
        toNode.pipeline().addLast(node);
        state = State.BOTH;
        client.join(node);
        node.join(client);
        client.begin();
        node.begin();
    }

    /** What the client sent so far comes again, through the handlers that were added to its connection since. */
    public void reread() {
        client.reread();
    }

    /** How many bytes of the client's were passed on to the node. */
    public long clientBytes() {
        return client.passedBytes();
    }

    /** How many bytes of the node's were passed on to the client. */
    public long nodeBytes() {
        return node.passedBytes();
    }

    /** How much was received from both and isn't sent yet. */
    public long waitingBytes() {
        return client.waitingBytes() + node.waitingBytes();
    }

    /** Memory has become short: reads that were begun for more begin anew. */
    public void restartRead() {
        client.restartRead();
        node.restartRead();
    }

    /** Nothing has come for a while: what is read into from now on is small, also by a read that is under way. */
    public void quiet() {
        client.quiet();
        node.quiet();
    }

    /** Nothing more is read. */
    private void endReads() {
        client.readSize().end();
        node.readSize().end();
    }

    /** Ends it now: what is still open is reset, and what waits to be sent is lost. */
    public void abort() {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            part();
            endReads();
            client.abort();
            node.abort();
            watcher.onEnd(end);
        }
    }

    /** Ends it now, without a node, and not with a reset: the client is to read what it was told. */
    public void refuse() {
        if (state == State.HALF) {
            state = State.CLOSED;
            endReads();
            client.refuse();
            watcher.onEnd(null);
        }
    }

    private void part() {
        client.part();
        node.part();
    }

    boolean isPassing() {
        return state == State.BOTH;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    Watcher watcher() {
        return watcher;
    }

    /** A side's output has ended, after all that was to be sent. */
    void outputEnded() {
        if (state != State.BOTH || !client.isOutputEnded() || !node.isOutputEnded()) {
            return;
        }
        end = End.COMPLETE;
        if (client.isUnheard() || node.isUnheard()) {
            // Closed at once, with what it has sent unread, it would be reset, and might lose the last that it was
            // sent.
            state = State.ENDING;
            gone = client.isUnheard() ? node : client;
            watcher.onEnding();
        } else {
            complete();
        }
    }

    /** A side's input has ended that nobody takes. */
    void lingered(RelaySide side) {
        if (state == State.ENDING && end == End.COMPLETE && side != gone) {
            complete();
        }
    }

    private void complete() {
        state = State.CLOSED;
        part();
        endReads();
        client.close();
        node.close();
        watcher.onEnd(end);
    }

    /** A side was reset. */
    void resetBy(RelaySide side) {
        if (state == State.HALF) {
            end = End.CLIENT_RESET;
            abort();
        } else if (state == State.BOTH) {
            state = State.ENDING;
            part();
            gone = side;
            end = side == client ? End.CLIENT_RESET : End.NODE_RESET;
            side.abort();
            watcher.onEnding();
            (side == client ? node : client).abortAfterLast();
        } else if (state == State.ENDING && side != gone) {
            // The other one too, before it had taken all.
            abort();
        }
    }
}
