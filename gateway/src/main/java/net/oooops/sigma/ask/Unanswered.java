package net.oooops.sigma.ask;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Somebody was asked, and there is no answer that is of use. The message says why, in words that are for operators. */
public final class Unanswered extends IOException {
    private static final long serialVersionUID = 1;

    /** Which exceptions mean what: the first that fits. */
    private static final List<Meaning> MEANINGS = List.of(
            new Meaning(UnknownHostException.class, "its name can't be resolved"),
            new Meaning(UnresolvedAddressException.class, "its name can't be resolved"),
            new Meaning(HttpConnectTimeoutException.class, "no connection within its time"),
            new Meaning(HttpTimeoutException.class, "no answer within its time"),
            new Meaning(NoRouteToHostException.class, "no way leads to its address"),
            new Meaning(ConnectException.class, "it takes no connection"),
            new Meaning(SSLException.class, "no TLS with it"),
            new Meaning(ClosedChannelException.class, "it closed the connection"),
            new Meaning(EOFException.class, "it closed the connection before its answer was whole"),
            new Meaning(SocketException.class, "the connection broke"),
            new Meaning(AccessDeniedException.class, "not allowed"),
            new Meaning(FileAlreadyExistsException.class, "a file is in its place"),
            new Meaning(NoSuchFileException.class, "it isn't there"));

    private record Meaning(Class<? extends Throwable> of, String words) {}

    public Unanswered(String why, @Nullable Throwable cause) {
        super(why, cause);
    }

    /** Why something failed, in plain words: what each kind of it means, and what the innermost cause says itself. */
    public static String why(Throwable thrown) {
        Throwable innermost = thrown;
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            innermost = each.getMessage() == null ? innermost : each;
            if (each instanceof Unanswered said) {
                return String.valueOf(said.getMessage());
            }
        }
        String said = innermost.getMessage() == null ? "" : innermost.getMessage();
        for (Meaning meaning : MEANINGS) {
            if (isWithin(thrown, meaning.of())) {
                return said.isEmpty() ? meaning.words() : meaning.words() + " (" + said + ")";
            }
        }
        return said.isEmpty() ? "for no reason that is known" : said;
    }

    private static boolean isWithin(Throwable thrown, Class<? extends Throwable> kind) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (kind.isInstance(each)) {
                return true;
            }
        }
        return false;
    }
}
