package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.KeptFile;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.http.WebSocketKey;
import org.jspecify.annotations.Nullable;

/**
 * Writes the responses of a client's connection, one after the other: how their bodies are framed (RFC 9112 section 6), and whether the
 * connection stays (section 9.3).
 */
final class ResponseStream implements ServerStream {
    private static final byte[] CONTINUE = Octets.ascii("HTTP/1.1 100 Continue\r\n\r\n");
    private static final byte[] CLOSE = Octets.ascii("Connection: close\r\n");
    private static final byte[] CLOSE_UPGRADE = Octets.ascii("Connection: close, upgrade\r\n");
    private static final byte[] KEEP_ALIVE = Octets.ascii("Connection: keep-alive\r\n");

    private final ServerConnection connection;
    private final Outlet outlet;
    private final HeadWriter writer;
    private final BodyWriter body;
    private boolean persists;
    /** Only the connection's end ends the body. */
    private boolean endsByClose;

    ResponseStream(ServerConnection connection, Outlet outlet, HeadWriter writer) {
        this.connection = connection;
        this.outlet = outlet;
        this.writer = writer;
        this.body = new BodyWriter(outlet, writer);
    }

    /** An exchange begins: of its response nothing is known yet. */
    void begin() {
        body.begin(false);
        persists = false;
        endsByClose = true;
    }

    // The request

    @Override
    public void pauseBody(boolean pause) {
        connection.pauseBody(pause);
    }

    @Override
    public void awaitBody(boolean inTime) {
        connection.awaitBody(inTime);
    }

    @Override
    public @Nullable Trailers requestTrailers() {
        return connection.requestTrailers();
    }

    @Override
    public long takeReceivedBytes() {
        return connection.input().takeReceivedBytes();
    }

    @Override
    public void askForBody() {
        outlet.content(CONTINUE, CONTINUE.length);
        outlet.flush();
    }

    // The response

    @Override
    public void interim(HttpResponseHead head) {
        writer.begin();
        writer.statusLine(head);
        writer.fields(head);
        writer.end();
        outlet.head(writer, 0);
        outlet.flush();
    }

    @Override
    public void head(HttpRequestHead to, HttpResponseHead head, HeadWriter added, long length, boolean last) {
        boolean bodiless = to.isHead() || head.isBodiless();
        boolean http10 = to.minorVersion() == 0;
        boolean unknown = !bodiless && length < 0;
        boolean chunked = unknown && !http10;
        body.begin(chunked);
        endsByClose = !chunked && length < 0;
        persists = to.isPersistent() && !(unknown && http10) && connection.mayPersist() && !last;
        if (!chunked) {
            head.drop(KnownField.TRAILER);
        }
        boolean upgrade = !http10 && head.keepUpgrade();
        writer.begin();
        writer.statusLine(head);
        writer.fields(head);
        writer.append(added);
        Framing.write(length, chunked, writer);
        if (!persists) {
            writer.append(upgrade ? CLOSE_UPGRADE : CLOSE);
        } else if (http10) {
            writer.append(KEEP_ALIVE);
        } else if (upgrade) {
            Framing.writeUpgrade(null, writer);
        }
        writer.end();
        outlet.head(writer, bodiless ? 0 : Math.max(0, length));
    }

    @Override
    public void switchProtocols(HttpRequestHead to, HttpResponseHead head, HeadWriter added) {
        boolean named = head.keepUpgrade();
        if (head.isHttp2()) {
            answerKey(to, head);
        }
        writer.begin();
        writer.statusLine(head);
        writer.fields(head);
        writer.append(added);
        if (to.isSwitching()) {
            Framing.writeUpgrade(named ? null : to, writer);
        }
        writer.end();
        outlet.head(writer, 0);
        outlet.flush();
        ServerTunnel switched = new ServerTunnel(connection, outlet);
        body.switchTo(switched);
        connection.switchProtocols(switched);
    }

    /** The node didn't get the client's key: in HTTP/2 there is none. */
    private static void answerKey(HttpRequestHead to, HttpResponseHead head) {
        head.remove(WebSocketKey.ACCEPT);
        String key = to.protocol.is(WebSocketKey.WEBSOCKET) ? to.value(WebSocketKey.KEY) : null;
        if (key != null) {
            head.add(Field.of(WebSocketKey.ACCEPT, WebSocketKey.answerTo(key)));
        }
    }

    @Override
    public void content(ByteBuf in, int count) {
        body.content(in, count);
    }

    @Override
    public void content(byte[] prepared, int length) {
        body.content(prepared, length);
    }

    @Override
    public boolean takesFiles() {
        return body.takesFiles() && connection.sendsFiles();
    }

    @Override
    public void content(KeptFile file, long position, long bytes) {
        outlet.file(file, position, bytes);
    }

    @Override
    public void end(@Nullable Trailers trailers) {
        body.end(trailers);
    }

    @Override
    public boolean isWritable() {
        return outlet.isWritable();
    }

    @Override
    public void flush() {
        outlet.flush();
    }

    @Override
    public long takeWrittenBytes() {
        return outlet.takeWrittenBytes();
    }

    // Its end

    @Override
    public boolean finish() {
        connection.dropTrailers();
        connection.finish(persists && connection.canPersist());
        return true;
    }

    /** Without last chunk, short of its length, or, where only the connection's end ends it, by a reset. */
    @Override
    public void cutShort() {
        connection.dropTrailers();
        if (body.isSwitched()) {
            connection.resetAfterLast();
        } else if (endsByClose) {
            connection.abort();
        } else {
            connection.finishTruncated();
        }
    }

    @Override
    public void abort() {
        connection.abort();
    }
}
