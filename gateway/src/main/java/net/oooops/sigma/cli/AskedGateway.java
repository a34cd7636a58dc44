package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.config.Units;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.DrainingProcess;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.Refused;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketClient;
import net.oooops.sigma.control.socket.SocketFault;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/**
 * The running gateway that a command is about, and how it is asked.
 *
 * @param presence which one it is
 * @param patience for how long an answer is waited for
 */
record AskedGateway(Presence presence, Duration patience) {
    static final Duration PATIENCE_DEFAULT = Duration.ofSeconds(30);

    private static final String EXIT_CODES =
            "%nExit codes: 0 done; 1 refused, or no answer; 2 wrong usage, or several gateways to choose from; 3 none is running.";

    /** The description of a command that asks, with the options that all of them have. */
    static CommandSpec spec(String word, String brief, String... more) {
        return specWithPatience("30s", word, brief, more);
    }

    /**
     * The same.
     *
     * @param patience how long it waits where nothing is said
     */
    static CommandSpec specWithPatience(String patience, String word, String brief, String... more) {
        CommandSpec spec = Help.command(word, brief, more);
        spec.usageMessage().footer(EXIT_CODES);
        spec.addOption(runDir().build());
        spec.addOption(Help.option("pid", "N")
                .type(Long.class)
                .converters(AskedGateway::pid)
                .description("The gateway with that process id, where several are running.")
                .build());
        spec.addOption(Help.option("timeout", "TIME")
                .type(String.class)
                .description("How long to wait, such as 90s or 5m. Without: " + patience + ".")
                .build());
        spec.addOption(OptionSpec.builder("-json", "--json")
                .description("Print the answer as JSON.")
                .build());
        return spec;
    }

    private static Long pid(String text) {
        if (!text.matches("[0-9]{1,18}")) {
            throw new TypeConversionException("the number of a process");
        }
        return Long.valueOf(text);
    }

    /** The option that chooses a gateway by its sigma.json. */
    static OptionSpec chooseByConf() {
        return Help.option("conf", "FILE")
                .type(Path.class)
                .description("The gateway that runs with that sigma.json, where several are running.")
                .build();
    }

    static OptionSpec.Builder runDir() {
        return Help.option("run-dir", "DIR")
                .type(Path.class)
                .description(
                        "The folder with the sockets of running gateways. Without: $XDG_RUNTIME_DIR/sigma, or /run/sigma of root,"
                                + " or ~/.sigma/run.");
    }

    /** The folder that is named, or the usual one. */
    static RunFolder folder(@Nullable Path named) {
        return named == null ? RunFolder.usual() : RunFolder.named(named);
    }

    /**
     * The one that is meant.
     *
     * @param conf the sigma.json that it runs with, or null where that doesn't choose
     */
    static AskedGateway of(ParseResult words, @Nullable Path conf) throws Failure {
        RunFolder folder = folder(words.matchedOptionValue("-run-dir", null));
        Duration patience = patience(words.matchedOptionValue("-timeout", null));
        Long pid = words.matchedOptionValue("-pid", null);
        List<Presence> living;
        try {
            living = LivingGateways.in(folder);
            if (living.isEmpty()) {
                throw none(folder);
            }
        } catch (SocketFault e) {
            throw new Failure(Exit.PROBLEMS, e.text());
        }
        List<Presence> meant = new ArrayList<>(living);
        if (pid != null) {
            meant.removeIf(each -> each.pid() != pid);
        }
        if (conf != null) {
            meant.removeIf(each -> each.conf().isEmpty() || !isSame(each.conf(), conf));
        }
        if (meant.isEmpty()) {
            String why = conf == null
                    ? ""
                    : ": -conf chooses the one that was started with that file; `sigma diff -conf` compares another";
            throw new Failure(Exit.NONE, "no such gateway is running" + why + "; there are:\n" + lines(living));
        }
        if (meant.size() > 1) {
            throw new Failure(
                    Exit.USAGE, "several gateways are running; choose with --pid N or -conf FILE:\n" + lines(meant));
        }
        return new AskedGateway(meant.getFirst(), patience);
    }

    private static Failure none(RunFolder folder) throws SocketFault {
        List<Long> without = LivingGateways.withoutSocket(folder);
        String found = without.isEmpty()
                ? "no gateway is running"
                : "no gateway can be asked; pid " + without.getFirst() + " runs, and its socket is gone: `kill -HUP "
                        + without.getFirst() + "` has it make another";
        String draining = DrainingProcess.in(folder).stream()
                .map(each -> "\n  still drains: " + each.text() + "; `sigma stop --pid " + each.pid() + "` ends it")
                .collect(Collectors.joining());
        return new Failure(
                Exit.NONE, found + " (looked in " + folder.path() + "; --run-dir names another folder)" + draining);
    }

    private static String lines(List<Presence> all) {
        return all.stream().map(each -> "  " + each.text()).collect(Collectors.joining("\n"));
    }

    static Duration patience(@Nullable String text) throws Failure {
        if (text == null) {
            return PATIENCE_DEFAULT;
        }
        try {
            return Duration.ofNanos(Units.durationNanos(text));
        } catch (UnfitException e) {
            throw new Failure(Exit.USAGE, "--timeout: " + text + " (expected: " + e.getMessage() + ")");
        }
    }

    /** A path as it was written, with its links as they are: a gateway stays the same one where a link is turned to its next configuration. */
    static String absolute(Path file) {
        return file.toAbsolutePath().normalize().toString();
    }

    /** Whether a gateway that is called so runs with that file: by their names, or by what their links lead to now. */
    private static boolean isSame(String shown, Path other) {
        if (shown.equals(Conf.shown(other))) {
            return true;
        }
        try {
            return Files.isSameFile(Path.of(shown), other);
        } catch (IOException e) {
            return false;
        }
    }

    /** Asks it. */
    Answer ask(String command, Map<String, ?> arguments) throws Failure {
        try {
            return SocketClient.ask(presence.socket(), command, arguments, patience);
        } catch (Refused e) {
            throw new Failure(Exit.PROBLEMS, e.text());
        } catch (SocketFault e) {
            throw new Failure(Exit.PROBLEMS, e.text());
        }
    }
}
