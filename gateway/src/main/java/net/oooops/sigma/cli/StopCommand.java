package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.DrainingProcess;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.LivingProcess;
import net.oooops.sigma.control.socket.PlainJson;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketFault;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma stop}: has a gateway drain and end, as SIGTERM does, and waits for that. */
final class StopCommand implements Command {
    /** In the answer: the first of the processes that have followed each other. */
    static final String FIRST = "first";

    private static final String WORD = "stop";
    private static final String CONF = "-conf";
    private static final String TIMEOUT = "-timeout";

    /** What closing takes beside the time to drain. */
    private static final Duration CLOSING = Duration.ofSeconds(30);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @Override
    public CommandSpec spec() {
        CommandSpec spec = AskedGateway.specWithPatience(
                "timeouts.drain and 30s",
                WORD,
                "Have a running gateway drain and end.",
                "Requests in flight may end first (timeouts.drain). Returns when its process has ended.",
                "Those that still drain after an upgrade end with it; --pid N ends that one and those before it.");
        spec.addOption(AskedGateway.chooseByConf());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        DrainingProcess draining = draining(words);
        if (draining != null) {
            return end(draining, words, console);
        }
        Path conf = words.matchedOptionValue(CONF, null);
        AskedGateway gateway = AskedGateway.of(words, conf);
        Presence presence = gateway.presence();
        Optional<ProcessHandle> process = LivingProcess.find(presence.pid(), presence.since());
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
        Object first = answer.json().get(FIRST);
        print(
                presence.pid(),
                presence.text(),
                DrainingProcess.in(RunFolder.of(presence)).stream()
                        .filter(each -> each.whose().first().equals(first))
                        .toList(),
                words,
                console);
        return Exit.OK;
    }

    private static void print(long pid, String what, List<DrainingProcess> left, ParseResult words, Console console) {
        if (words.hasMatchedOption("-json")) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("stopped", pid);
            json.put("still_draining", left.stream().map(DrainingProcess::json).toList());
            console.out().print(PlainJson.text(json));
        } else {
            console.out().print("stopped: " + what + "\n");
            left.forEach(each -> console.out()
                    .print("still drains: " + each.text() + "; `kill -9 " + each.pid() + "` ends it at once\n"));
        }
        console.out().flush();
    }

    /** The one that is named, where that is none that serves; else null. */
    private static @Nullable DrainingProcess draining(ParseResult words) throws Failure {
        Long pid = words.matchedOptionValue("-pid", null);
        if (pid == null) {
            return null;
        }
        RunFolder folder = AskedGateway.folder(words.matchedOptionValue("-run-dir", null));
        DrainingProcess draining = written(folder, pid);
        // Of another container's one, which drains, the number and even the time may be those of one that serves here.
        return draining == null || serves(folder, pid) ? null : draining;
    }

    private static @Nullable DrainingProcess written(RunFolder folder, long pid) {
        return DrainingProcess.in(folder).stream()
                .filter(each -> each.pid() == pid)
                .findFirst()
                .orElse(null);
    }

    private static boolean serves(RunFolder folder, long pid) throws Failure {
        try {
            return LivingGateways.in(folder).stream().anyMatch(each -> each.pid() == pid);
        } catch (SocketFault e) {
            throw new Failure(Exit.PROBLEMS, e.text());
        }
    }

    /** Has one end that doesn't serve any more, and that only a signal reaches. */
    private static int end(DrainingProcess draining, ParseResult words, Console console) throws Failure {
        RunFolder folder = AskedGateway.folder(words.matchedOptionValue("-run-dir", null));
        Duration said =
                words.hasMatchedOption(TIMEOUT) ? AskedGateway.patience(words.matchedOptionValue(TIMEOUT, null)) : null;
        long begun = System.nanoTime();
        signal(draining);
        DrainingProcess now = draining;
        Duration limit = said == null ? limit(now) : said;
        while (draining.process().isPresent()) {
            Duration waited = Duration.ofNanos(System.nanoTime() - begun);
            if (waited.compareTo(limit) > 0) {
                throw new Failure(
                        Exit.PROBLEMS,
                        "pid " + draining.pid() + " hasn't ended within " + Wording.duration(waited.toNanos())
                                + "; `kill -9 " + draining.pid() + "` ends it at once");
            }
            LockSupport.parkNanos(POLL_NANOS);
            // Once it has the signal it has less time, as it says then.
            DrainingProcess anew = written(folder, draining.pid());
            if (said == null && anew != null && !anew.until().equals(now.until())) {
                now = anew;
                limit = waited.plus(limit(now));
            }
        }
        print(draining.pid(), "pid " + draining.pid() + ", which drained", List.of(), words, console);
        return Exit.OK;
    }

    private static void signal(DrainingProcess draining) throws Failure {
        ProcessHandle process = draining.process().orElse(null);
        if (process != null && !process.destroy() && process.isAlive()) {
            throw new Failure(
                    Exit.PROBLEMS,
                    "pid " + draining.pid() + " can't be told to end (expected: to be asked by its user)");
        }
    }

    /** From now on, by what it says. */
    private static Duration limit(DrainingProcess draining) {
        Duration left = Duration.between(Instant.now(), draining.until());
        return left.isNegative() ? CLOSING : left.plus(CLOSING);
    }

    private static Duration limit(Answer answer) {
        Object drain = answer.json().get("drain_ms");
        return CLOSING.plusMillis(drain instanceof Number millis ? millis.longValue() : 0);
    }

    private static boolean isThere(Presence presence, Optional<ProcessHandle> process) {
        if (process.isPresent()) {
            return LivingProcess.isAlive(process.get());
        }
        try {
            RunFolder folder = RunFolder.of(presence);
            return LivingGateways.in(folder).stream()
                    .anyMatch(each -> each.socket().equals(presence.socket()));
        } catch (SocketFault e) {
            return false;
        }
    }
}
