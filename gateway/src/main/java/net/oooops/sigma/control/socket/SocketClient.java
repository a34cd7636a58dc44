package net.oooops.sigma.control.socket;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Asks a running gateway. Any thread; blocks. */
public final class SocketClient {
    private SocketClient() {}

    /**
     * Asks one thing.
     *
     * @param socket of the gateway
     * @param command what is asked
     * @param arguments a plain tree, as {@link Answer#json}
     * @param patience for how long the answer is waited for, all in all
     * @throws Refused what the gateway says against it
     * @throws SocketFault where it doesn't answer
     */
    public static Answer ask(Path socket, String command, Map<String, ?> arguments, Duration patience)
            throws Refused, SocketFault {
        byte[] answer;
        long deadline = System.nanoTime() + patience.toNanos();
        try (TimedChannel channel = TimedChannel.connect(socket, patience)) {
            answer = asked(channel, Protocol.request(command, arguments, patience), deadline);
        } catch (TimedChannel.Busy e) {
            throw new SocketFault("socket " + socket + ": not taken within " + patience.toMillis()
                    + " ms, and nothing was asked: too many ask already, or the process stands still");
        } catch (SocketTimeoutException e) {
            throw new SocketFault("no answer within " + patience.toMillis()
                    + " ms: the gateway may still be at it (--timeout says how long to wait)");
        } catch (IOException e) {
            throw new SocketFault("socket " + socket, e);
        }
        if (answer.length == 0) {
            throw new SocketFault("socket " + socket + ": closed without an answer; the gateway may have ended");
        }
        try {
            return Protocol.answered(PlainJson.read(answer));
        } catch (IOException e) {
            throw new SocketFault("socket " + socket + ": an answer that can't be understood");
        }
    }

    private static byte[] asked(TimedChannel channel, byte[] request, long deadline) throws IOException {
        try {
            channel.writeLine(request, until(deadline));
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // It has closed before it was asked, and may have said why.
            byte[] why = channel.readLine(Protocol.ANSWER_BYTES_MAX, until(deadline));
            if (why.length == 0) {
                throw e;
            }
            return why;
        }
        return channel.readLine(Protocol.ANSWER_BYTES_MAX, until(deadline));
    }

    private static Duration until(long deadline) {
        return Duration.ofNanos(deadline - System.nanoTime());
    }
}
