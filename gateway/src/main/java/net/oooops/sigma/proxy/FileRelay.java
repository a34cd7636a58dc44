package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.runtime.LoopContext;

/**
 * Sends bodies that lie in files, as their clients take them: read piece by piece, so that all that looks at bodies or changes them sees them as
 * any other, or, where nobody does and the connection can, part by part by the kernel.
 *
 * <p>Of a client that takes everything one turn of the event loop sends so much and no more: others have their turns between.
 *
 * <p>Belongs to one Worker.
 */
final class FileRelay {
    private static final int PIECE_BYTES = 64 * 1024;
    private static final int LITTLE_BYTES = 4096;
    private static final int TURN_BYTES = 1024 * 1024;
    /** Less leaves with what is before and behind it in one write. */
    private static final int BY_KERNEL_BYTES_MIN = 32 * 1024;

    private static final String TOO_LARGE = "response body larger than is collected";

    private final LoopContext loop;
    private final HttpProxy proxy;

    FileRelay(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
    }

    /** Plugins are to see all of it: reads it, where it isn't too much. Whether the exchange goes on. */
    boolean collect(HttpExchange x, FileSource file) {
        boolean none = x.request.head.isHead();
        long bytes = none ? 0 : file.left();
        if (bytes > x.plan.whole().responseBytesMax()) {
            proxy.failing.fail(x, Fault.UPSTREAM_PROTOCOL, TOO_LARGE);
            return false;
        }
        if (none) {
            x.response.body.collected();
            x.response.body.queue.gather();
            return true;
        }
        byte[] content = new byte[(int) bytes];
        ByteBuf whole = Unpooled.wrappedBuffer(content).clear();
        try {
            file.read(whole, (int) bytes);
            x.response.ownBody(content);
            x.response.complete(null);
            x.response.closeBody(null);
            return true;
        } catch (IOException e) {
            failed(x, e);
            return false;
        } finally {
            whole.release();
        }
    }

    /** The head is written. */
    void begin(HttpExchange x, FileSource file) {
        if (x.request.head.isHead() || x.response.head.isBodiless()) {
            x.response.closeBody(null);
            x.stream.end(null);
            proxy.exchanges.end(x);
            return;
        }
        // Who sends a body and reads nothing before it has isn't to wait for ever.
        x.request.body.queue.clear(x.cursor.isHeld());
        x.stream.pauseBody(false);
        goOn(x, file);
    }

    /** The client may take more, or what waited before it has gone; where it is answered from a file. */
    void goOn(HttpExchange x) {
        FileSource file = x.response.file();
        if (file != null) {
            goOn(x, file);
        }
    }

    private void goOn(HttpExchange x, FileSource file) {
        if (file.isSending() || file.isEnded() || x.stage != Stage.ANSWERING) {
            return;
        }
        file.sending(true);
        try {
            send(x, file);
        } catch (IOException e) {
            failed(x, e);
        } finally {
            file.sending(false);
        }
    }

    private void send(HttpExchange x, FileSource file) throws IOException {
        int turn = 0;
        while (file.left() > 0) {
            if (!isTaken(x, file)) {
                return;
            }
            if (turn >= TURN_BYTES) {
                x.stream.flush();
                later(x, file);
                return;
            }
            if (isByKernel(x, file)) {
                sendByKernel(x, file);
                return;
            }
            turn += sendPiece(x, file);
        }
        if (isOf(x, file)) {
            file.end();
            proxy.responseEnd(x);
        }
    }

    /** Whether its client takes more; if not, it tells when it does. */
    private static boolean isTaken(HttpExchange x, FileSource file) {
        if (!isOf(x, file)) {
            return false;
        }
        if (x.response.body.isWaiting() || !x.stream.isWritable()) {
            x.stream.flush();
        }
        Transforms transforms = x.response.transforms;
        boolean held = transforms != null && transforms.isPassing() && transforms.isReady();
        return isOf(x, file) && !held && !x.response.body.isWaiting() && x.stream.isWritable();
    }

    /** Whether it is still the body that the exchange answers with. */
    private static boolean isOf(HttpExchange x, FileSource file) {
        return x.stage == Stage.ANSWERING && x.response.file() == file;
    }

    private void later(HttpExchange x, FileSource file) {
        if (file.awaitsTurn) {
            return;
        }
        file.awaitsTurn = true;
        loop.turns().later(false, () -> {
            file.awaitsTurn = false;
            if (isOf(x, file)) {
                goOn(x, file);
            }
        });
    }

    private static boolean isByKernel(HttpExchange x, FileSource file) {
        return file.fileBytes() >= BY_KERNEL_BYTES_MIN
                && x.response.transforms == null
                && x.plan.chain().responseChunks().count() == 0
                && x.stream.takesFiles();
    }

    private static void sendByKernel(HttpExchange x, FileSource file) throws IOException {
        long bytes = Math.min(file.fileBytes(), TURN_BYTES);
        file.require(bytes);
        x.stream.content(file, file.position(), bytes);
        file.moved(bytes);
        x.response.body.sent(x.response.body.sentBytes() + bytes);
        x.stream.flush();
    }

    private int sendPiece(HttpExchange x, FileSource file) throws IOException {
        int most = loop.memory().isShort() ? LITTLE_BYTES : PIECE_BYTES;
        int bytes = (int) Math.min(file.left(), most);
        ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(bytes);
        try {
            file.read(piece, bytes);
            proxy.responses.body(x, piece, bytes);
        } finally {
            piece.release();
        }
        return bytes;
    }

    private void failed(HttpExchange x, IOException why) {
        String reason = why.getMessage() == null ? why.toString() : why.getMessage();
        proxy.failing.fail(x, Fault.PLUGIN_FAILED, "body from a file: " + reason);
    }
}
