package net.oooops.sigma.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of which each line becomes an event of the log. For one thread at a time, which the {@link PrintStream} around it sees to.
 */
final class LoggedLine extends OutputStream {
    private static final String WARNING = "warning: ";

    private final Consumer<String> log;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private LoggedLine(Consumer<String> log) {
        this.log = log;
    }

    /** One both of whose streams end in the log, what went wrong as errors and warnings. */
    static Console console(Console of) {
        // Here the log is made ready, and not while another thread is at it: it would keep what is said for later, and
        // the process may end before.
        Logger logger = LoggerFactory.getLogger(Run.class);
        return new Console(
                stream(logger::info),
                stream(text -> {
                    if (text.startsWith(WARNING)) {
                        logger.warn(text.substring(WARNING.length()));
                    } else {
                        logger.error(text);
                    }
                }),
                of.in(),
                of.interactive());
    }

    private static PrintStream stream(Consumer<String> log) {
        return new PrintStream(new LoggedLine(log), false, StandardCharsets.UTF_8);
    }

    @Override
    public void write(int b) {
        if (b != '\n') {
            line.write(b);
            return;
        }
        String text = line.toString(StandardCharsets.UTF_8).strip();
        line.reset();
        if (!text.isEmpty()) {
            log.accept(text);
        }
    }
}
