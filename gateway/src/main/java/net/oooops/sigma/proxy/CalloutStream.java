package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.ConnectionOptions;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.runtime.Generation;
import org.jspecify.annotations.Nullable;

/**
 * Stands where a client's connection stands for other exchanges: takes the answer to a {@link Callout}, which it holds whole. Made
 * for each. Belongs to one Worker.
 */
final class CalloutStream implements ServerStream {
    /** Of a body that nobody waits for: as much as comes with its head, or soon after. */
    private static final int UNWANTED_BYTES_MAX = 64 * 1024;

    private static final int UNWANTED_MILLIS_MAX = 1_000;

    private @Nullable HttpExchange asking;
    private final boolean ofExchange;
    private final int bytesMax;
    private final Callout.Body wanted;
    private final Generation.Followers following;
    private CompletableFuture<Response> answer = new CompletableFuture<>();
    private ByteArrayOutputStream body = new ByteArrayOutputStream(0);
    private List<Field> fields = new ArrayList<>();
    private @Nullable HttpExchange exchange;
    private int status;
    private int bodyBytes;
    private boolean large;
    private boolean cancelled;
    /** The answer has been given, with its head; its body is thrown away. */
    private boolean given;
    /** The head is a node's, not that of an answer of Sigma's own. */
    private boolean fromNode;

    private @Nullable Future<?> deadline;
    /** The same, of a body that is thrown away. */
    private @Nullable Future<?> unwanted;

    /** Beside this, of those of the same exchange. */
    @Nullable CalloutStream next;

    /**
     * One that is to be begun.
     *
     * @param asking the exchange that it is for; what becomes of that later is no concern of one that is detached
     */
    CalloutStream(HttpExchange asking, Callout callout) {
        this(asking, asking.following, callout);
    }

    /**
     * One that no exchange asks by.
     *
     * @param following the configuration that it follows
     */
    CalloutStream(Generation.Followers following, Callout callout) {
        this(null, following, callout);
    }

    private CalloutStream(@Nullable HttpExchange asking, Generation.Followers following, Callout callout) {
        this.asking = asking;
        this.following = following;
        this.ofExchange = asking != null;
        this.bytesMax = callout.answerBytesMax();
        this.wanted = callout.answerBody();
    }

    /** Whether an exchange has asked by it. */
    boolean isOfExchange() {
        return ofExchange;
    }

    /** That ends it, where nothing does before. */
    void endAfter(Future<?> timer) {
        deadline = timer;
    }

    /** It has taken as long as it may. */
    void expire() {
        HttpExchange own = exchange;
        if (own != null) {
            own.proxy.failing.fail(own, Fault.UPSTREAM_TIMEOUT, "callout");
        }
    }

    /** Given on the event loop, after the exchange of the callout is over; where that is all that is asked for, after its head has come. */
    CompletableFuture<Response> answer() {
        return answer;
    }

    /** Its answer comes by that exchange. */
    void begin(HttpExchange own) {
        exchange = own;
    }

    /** The configuration that it follows: that of the exchange, which may be an earlier one. */
    Generation.Followers following() {
        return following;
    }

    /** Nobody waits for the answer any more. */
    void cancel() {
        cancelled = true;
        cut();
    }

    private void cut() {
        HttpExchange own = exchange;
        if (own != null) {
            own.onClientGone();
        }
    }

    @Override
    public void head(HttpRequestHead to, HttpResponseHead head, HeadWriter added, long length, boolean last) {
        status = head.status();
        fromNode = !head.isOwn();
        Set<FieldName> named = ConnectionOptions.of(head);
        for (String each : head.names()) {
            FieldName name = FieldName.of(each);
            if (!name.isOfTheConnection() && !named.contains(name)) {
                head.values(name).forEach(value -> fields.add(Field.of(name, value)));
            }
        }
        HttpExchange own = exchange;
        boolean saysAll = wanted == Callout.Body.OF_OTHERS_WHERE_WHOLE && status >= 200 && status < 300;
        if (saysAll && fromNode && own != null) {
            giveHead(own, head.contentLength());
        }
    }

    /**
     * A little of what comes behind it is read so that the connection lasts, whatever becomes of who has asked; what is more, or later, costs it.
     *
     * @param length of that; -1: nobody knows
     */
    private void giveHead(HttpExchange own, long length) {
        given = true;
        leave(own);
        CompletableFuture<Response> to = answer;
        Response response = Response.withBody(status, fields, new byte[0]);
        EventLoop loop = own.proxy.loop.eventLoop();
        // Not from within: whoever has read the head goes on with the exchange.
        loop.execute(() -> {
            boundBody(loop, length);
            to.complete(response);
        });
    }

    private void boundBody(EventLoop loop, long length) {
        if (length > UNWANTED_BYTES_MAX) {
            cut();
        } else if (exchange != null) {
            unwanted = loop.schedule(this::cut, UNWANTED_MILLIS_MAX, TimeUnit.MILLISECONDS);
        }
    }

    /** Whether the answer has been given at its head: nobody waits for what is left. */
    boolean isGiven() {
        return given;
    }

    /** The exchange that has asked goes on, or ends, without this one. */
    private void leave(HttpExchange own) {
        if (asking != null) {
            own.proxy.callouts.ended(asking, this);
            asking = null;
        }
    }

    @Override
    public void content(ByteBuf in, int count) {
        if (takes(count)) {
            byte[] bytes = new byte[count];
            in.readBytes(bytes);
            body.write(bytes, 0, count);
        } else {
            in.skipBytes(count);
        }
    }

    @Override
    public void content(byte[] prepared, int length) {
        if (takes(length)) {
            body.write(prepared, 0, length);
        }
    }

    /** Whether so many bytes more are kept. Where it is too much, nothing more is wanted. */
    private boolean takes(int more) {
        HttpExchange own = exchange;
        int most = given ? Math.min(bytesMax, UNWANTED_BYTES_MAX) : bytesMax;
        if (!large && own != null && more > most - bodyBytes) {
            large = true;
            // Not from within: whoever writes goes on with the exchange.
            own.proxy.loop.eventLoop().execute(this::cut);
        }
        bodyBytes += large ? 0 : more;
        return !large && !given && wanted != Callout.Body.IGNORED;
    }

    @Override
    public void end(@Nullable Trailers trailers) {
        // What is behind a body isn't given to plugins.
    }

    @Override
    public boolean finish() {
        over();
        return true;
    }

    @Override
    public void cutShort() {
        over();
    }

    @Override
    public void abort() {
        over();
    }

    /** Its exchange is over. The answer is given when that has left all that it was in; nothing of it stays here, as the exchange is used again. */
    private void over() {
        HttpExchange own = exchange;
        if (own == null) {
            return;
        }
        leave(own);
        exchange = null;
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
        if (unwanted != null) {
            unwanted.cancel(false);
            unwanted = null;
        }
        if (!given) {
            give(own);
        }
        answer = new CompletableFuture<>();
        body = new ByteArrayOutputStream(0);
        fields = List.of();
    }

    private void give(HttpExchange own) {
        CompletableFuture<Response> to = answer;
        boolean whole = !own.ending.hasFailed() && !large;
        boolean counts = whole || (fromNode && !cancelled && wanted != Callout.Body.WHOLE);
        EventLoop loop = own.proxy.loop.eventLoop();
        if (counts) {
            Response response =
                    Response.withBody(status, fields, whole && !isEmpty() ? body.toByteArray() : new byte[0]);
            loop.execute(() -> to.complete(response));
        } else {
            own.proxy.callouts.failed(cancelled);
            CalloutException why = why(own);
            loop.execute(() -> to.completeExceptionally(why));
        }
    }

    private CalloutException why(HttpExchange own) {
        if (large) {
            return new CalloutException(Fault.UPSTREAM_PROTOCOL, "an answer of more than " + bytesMax + " bytes");
        }
        Fault fault = own.ending.fault();
        String detail = own.ending.detail();
        return new CalloutException(fault == null ? Fault.INTERNAL : fault, detail == null ? "" : detail);
    }

    private boolean isEmpty() {
        return status == 204 || status == 304;
    }

    // What only a connection has

    @Override
    public void pauseBody(boolean pause) {
        // It was there at once.
    }

    @Override
    public void awaitBody(boolean inTime) {
        // It was there at once.
    }

    @Override
    public @Nullable Trailers requestTrailers() {
        return null;
    }

    @Override
    public void askForBody() {
        throw new IllegalStateException("a callout that expects 100 (expected: its body at once)");
    }

    @Override
    public void interim(HttpResponseHead head) {
        // Only the final one is told.
    }

    @Override
    public void switchProtocols(HttpRequestHead to, HttpResponseHead head, HeadWriter added) {
        throw new IllegalStateException("a callout that switches protocols (expected: none asks for it)");
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void flush() {
        // Taken as it comes.
    }

    @Override
    public long takeReceivedBytes() {
        return 0;
    }

    @Override
    public long takeWrittenBytes() {
        return 0;
    }
}
