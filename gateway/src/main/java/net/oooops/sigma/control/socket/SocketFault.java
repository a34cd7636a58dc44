package net.oooops.sigma.control.socket;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

/** No socket can be had, or nothing can be asked through it: why, in words for whoever started Sigma. */
public final class SocketFault extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param text one line, without a line end */
    SocketFault(String text) {
        super(text, null, false, false);
    }

    SocketFault(String what, IOException cause) {
        this(what + ": " + why(cause));
    }

    /** One line, without a line end. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** What went wrong, as short as the system says it. */
    static String why(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return reason == null || reason.isEmpty()
                ? e.getClass().getSimpleName()
                : reason.substring(0, 1).toLowerCase(Locale.ROOT) + reason.substring(1);
    }
}
