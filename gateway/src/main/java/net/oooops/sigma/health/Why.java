package net.oooops.sigma.health;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.HttpClosedException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import net.oooops.sigma.tls.NodeTrust;

/** Why a check failed, in words for a line of a log: short, and without what would change how a terminal shows it. */
final class Why {
    private static final int CHARS_MAX = 200;

    private Why() {}

    static String of(Throwable cause) {
        if (cause instanceof HttpClosedException) {
            return "closed before its answer was whole";
        }
        if (cause instanceof ConnectTimeoutException) {
            return "no connection in time";
        }
        Throwable untrusted = NodeTrust.plain(cause);
        if (untrusted instanceof CertificateException) {
            return shown(String.valueOf(untrusted.getMessage()));
        }
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof ConnectException) {
            int end = message.indexOf(": ");
            return shown(end < 0 ? message : message.substring(0, end));
        }
        return cause instanceof UnknownHostException
                ? shown("no address: " + message)
                : shown(cause.getClass().getSimpleName() + ": " + message);
    }

    static String shown(String text) {
        String cut = text.length() <= CHARS_MAX ? text : text.substring(0, CHARS_MAX - 1) + "…";
        StringBuilder shown = new StringBuilder();
        cut.codePoints().forEach(c -> {
            boolean plain = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
            shown.appendCodePoint(plain ? c : '?');
        });
        return shown.toString();
    }
}
