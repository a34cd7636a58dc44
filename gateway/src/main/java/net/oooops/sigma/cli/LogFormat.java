package net.oooops.sigma.cli;

import java.util.Locale;
import net.oooops.sigma.observe.GatewayLog;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * The option {@code --log-format}: the form of the gateway's own log. An option and no key of sigma.json, since there may be something to log
 * before that is read, such as what is wrong with it.
 */
enum LogFormat {
    /** For people. */
    TEXT,
    /** For programs: a line for each event, and also for what else {@code run} says. */
    JSON;

    static final String OPTION = "--log-format";

    /** That of a name; null where it is none's, or there is none. */
    static @Nullable LogFormat of(@Nullable String word) {
        for (LogFormat each : values()) {
            if (each.word().equals(word)) {
                return each;
            }
        }
        return null;
    }

    /** What it is called on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static OptionSpec option() {
        return Help.option("log-format", "FORMAT")
                .type(String.class)
                .converters(LogFormat::known)
                .description(
                        "How the gateway's own log is written: text; or json, a line for each event, on standard error, and"
                                + " likewise all else that this command says. Without: text.")
                .build();
    }

    private static String known(String word) {
        if (of(word) == null) {
            throw new TypeConversionException("text or json");
        }
        return word;
    }

    /**
     * Has the log written so. Called before anything is logged; makes nothing ready yet, which takes a while.
     *
     * @param said null where nothing is
     * @throws Failure where a file of Logback's says how the log is written
     */
    static void choose(@Nullable LogFormat said) throws Failure {
        choose(said, System.getProperty(GatewayLog.FILE_PROPERTY));
    }

    static void choose(@Nullable LogFormat said, @Nullable String file) throws Failure {
        if (said != null && file != null) {
            throw new Failure(
                    Exit.USAGE,
                    OPTION + " " + said.word() + ": beside -D" + GatewayLog.FILE_PROPERTY + "=" + file
                            + " (expected: one of both)");
        }
        if (said == JSON) {
            GatewayLog.asJson();
        }
    }

    /** Where {@code run} says what it says. */
    static Console console(@Nullable LogFormat said, Console console) {
        return said == JSON ? LoggedLine.console(console) : console;
    }
}
