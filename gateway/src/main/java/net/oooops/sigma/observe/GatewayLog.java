package net.oooops.sigma.observe;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/**
 * The gateway's own log: INFO and above to standard error, Netty, Vert.x and acme4j from WARN on; as text for people, or a line of JSON
 * for each event. In code, since reading a file of Logback's takes longer than the rest of a start; an operator who wants another names
 * one with {@code -Dlogback.configurationFile}.
 *
 * <p>Found by Logback through ServiceLoader, called once, on the thread that logs first.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_NORMAL_PRIORITY)
public final class GatewayLog extends ContextAwareBase implements Configurator {
    /** Names a file of Logback's that takes the place of all this. */
    public static final String FILE_PROPERTY = "logback.configurationFile";

    private static volatile boolean warningsAlone;
    private static volatile boolean json;

    /** For ServiceLoader. */
    public GatewayLog() {}

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty(FILE_PROPERTY) != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        GatewayLogForm encoder = json ? new GatewayLogJson() : new GatewayLogEncoder();
        encoder.setContext(context);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName("stderr");
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        context.getLogger("io.netty").setLevel(Level.WARN);
        // It warns of every connection whose peer doesn't take the last of what it is sent: any client could write
        // there.
        context.getLogger("io.netty.handler.ssl.SslHandler").setLevel(Level.ERROR);
        context.getLogger("io.vertx").setLevel(Level.WARN);
        context.getLogger("org.shredzone").setLevel(Level.WARN);
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(warningsAlone ? Level.WARN : Level.INFO);
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Has it say nothing below WARN, if it comes to speak at all: for commands that serve nobody. */
    public static void warningsAlone() {
        warningsAlone = true;
    }

    /** Has each event be a line of JSON, if it hasn't spoken yet. */
    public static void asJson() {
        json = true;
    }
}
