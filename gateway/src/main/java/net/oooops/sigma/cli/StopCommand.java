package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.PlainJson;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketFault;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma stop}: has a gateway drain and end, as SIGTERM does, and waits for that. */
final class StopCommand implements Command {
    private static final String WORD = "stop";
    private static final String CONF = "-conf";
    private static final String TIMEOUT = "-timeout";

    /** What closing takes beside the time to drain. */
    private static final Duration CLOSING = Duration.ofSeconds(30);

    /** The clock may have been set meanwhile, by so much. */
    private static final Duration CLOCK = Duration.ofSeconds(2);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @Override
    public CommandSpec spec() {
        CommandSpec spec = AskedGateway.specWithPatience(
                "timeouts.drain and 30s",
                WORD,
                "Have a running gateway drain and end.",
                "Requests in flight may end first (timeouts.drain). Returns when its process has ended.");
        spec.addOption(AskedGateway.chooseByConf());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        Path conf = words.matchedOptionValue(CONF, null);
        AskedGateway gateway = AskedGateway.of(words, conf);
        Presence presence = gateway.presence();
        Optional<ProcessHandle> process = process(presence);
        long begun = System.nanoTime();
        Answer answer = gateway.ask(WORD, Map.of());
        Duration limit = words.hasMatchedOption(TIMEOUT) ? gateway.patience() : limit(answer);
        while (isThere(presence, process)) {
            if (System.nanoTime() - begun > limit.toNanos()) {
                throw new Failure(
                        Exit.PROBLEMS,
                        presence.text() + " hasn't ended within " + Wording.duration(limit.toNanos())
                                + "; it goes on to drain");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        String text = "stopped: " + presence.text() + "\n";
        boolean json = words.hasMatchedOption("-json");
        console.out().print(json ? PlainJson.text(Map.of("stopped", presence.pid())) : text);
        console.out().flush();
        return Exit.OK;
    }

    private static Duration limit(Answer answer) {
        Object drain = answer.json().get("drain_ms");
        return CLOSING.plusMillis(drain instanceof Number millis ? millis.longValue() : 0);
    }

    /** Its process, where this command sees it: not from another container, where the number is another's, which began at another time. */
    private static Optional<ProcessHandle> process(Presence presence) {
        return ProcessHandle.of(presence.pid())
                .filter(handle -> handle.info()
                        .startInstant()
                        .map(start -> isNear(start, presence.since()))
                        .orElse(false));
    }

    private static boolean isNear(Instant start, String said) {
        try {
            return Duration.between(start, Instant.parse(said)).abs().compareTo(CLOCK) <= 0;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static boolean isThere(Presence presence, Optional<ProcessHandle> process) {
        if (process.isPresent()) {
            return process.get().isAlive() && !isZombie(presence.pid());
        }
        try {
            RunFolder folder = RunFolder.of(presence);
            return LivingGateways.in(folder).stream()
                    .anyMatch(each -> each.socket().equals(presence.socket()));
        } catch (SocketFault e) {
            return false;
        }
    }

    /** Whether it has ended, and whoever started it hasn't asked for its exit code: the first process of a container may never do so. */
    static boolean isZombie(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            // Behind its name, which may hold anything.
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            // Where there is no /proc nobody is told.
            return false;
        }
    }
}
