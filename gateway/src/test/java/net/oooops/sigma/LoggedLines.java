package net.oooops.sigma;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What one of the gateway's loggers says, kept instead of shown, until this is closed. Any thread. */
public final class LoggedLines implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getFormattedMessage());
        }
    };

    /** From now on. */
    public LoggedLines(Class<?> of) {
        this(of.getName());
    }

    /** Those of a logger, or of a package with those below it, from now on. */
    public LoggedLines(String of) {
        this.logger = (Logger) LoggerFactory.getLogger(of);
        appender.start();
        logger.addAppender(appender);
        logger.setAdditive(false);
    }

    /** Level and message of each line, in their order. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
    }
}
