package net.oooops.sigma.control.socket;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/** {@code log-level}: how much the gateway's own log says, from now on and until the process ends. Any thread. */
public final class LogLevels implements Steered {
    private static final List<String> WORDS = List.of("OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]+([.-][A-Za-z0-9_$]+)*");
    private static final int NAME_CHARS_MAX = 200;

    /** What was asked for, by the logger's name. */
    private static final Map<String, String> SAID = new ConcurrentHashMap<>();

    private static volatile Runnable listener = () -> {};

    /** Called after each change, by whoever has asked for it, who waits for that. */
    public static void listen(Runnable changed) {
        listener = changed;
    }

    /** With {@code level}, sets it, of {@code logger} or of all that have none of their own. Without, says which there are. */
    @Override
    public Answer answer(Asked asked) throws Refused {
        String word = asked.optionalText("level");
        if (word != null) {
            set(level(word), asked.optionalText("logger"));
        }
        Map<String, String> now = levels();
        return new Answer(text(now) + "\n", Map.of("log_levels", now));
    }

    private static Level level(String word) throws Refused {
        String upper = word.toUpperCase(Locale.ROOT);
        if (!WORDS.contains(upper)) {
            throw new Refused("level: " + word + " (expected: one of " + String.join(", ", WORDS) + ")");
        }
        return Level.valueOf(upper);
    }

    private static void set(Level level, @org.jspecify.annotations.Nullable String logger) throws Refused {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            throw new Refused("log-level: the log isn't Logback's, whose levels can be set");
        }
        String name = logger == null ? org.slf4j.Logger.ROOT_LOGGER_NAME : logger;
        if (name.length() > NAME_CHARS_MAX || !NAME.matcher(name).matches()) {
            throw new Refused("logger: " + name
                    + " (expected: the name of a class or a package, such as net.oooops.sigma.upstream)");
        }
        context.getLogger(name).setLevel(level);
        SAID.put(name, level.levelStr);
        listener.run();
    }

    /** What was asked for since the process was started, by the logger's name. */
    public static Map<String, String> said() {
        return Map.copyOf(SAID);
    }

    /** Another process was asked for that, whose place this one takes; what isn't understood is left out. */
    public static void hear(Map<?, ?> words) {
        words.forEach((name, word) -> {
            try {
                set(level(String.valueOf(word)), String.valueOf(name));
            } catch (Refused e) {
                LoggerFactory.getLogger(LogLevels.class).debug("{}: {}", name, e.text());
            }
        });
    }

    /** Those that are set, by the logger's name, that of all others ({@code ROOT}) first. */
    static Map<String, String> levels() {
        Map<String, String> levels = new LinkedHashMap<>();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            for (Logger logger : context.getLoggerList()) {
                Level level = logger.getLevel();
                if (level != null) {
                    levels.put(logger.getName(), level.levelStr);
                }
            }
        }
        return levels;
    }

    /** {@code INFO; io.netty WARN, io.vertx WARN}. */
    static String text(Map<String, String> levels) {
        StringBuilder text =
                new StringBuilder(String.valueOf(levels.getOrDefault(org.slf4j.Logger.ROOT_LOGGER_NAME, "unknown")));
        String separator = "; ";
        for (Map.Entry<String, String> each : levels.entrySet()) {
            if (!each.getKey().equals(org.slf4j.Logger.ROOT_LOGGER_NAME)) {
                text.append(separator).append(each.getKey()).append(' ').append(each.getValue());
                separator = ", ";
            }
        }
        return text.toString();
    }
}
