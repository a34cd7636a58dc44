package net.oooops.sigma.control.socket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A process whose place another one has taken, and which ends what it has begun: as it says in a file of the run folder. It can't be asked; whoever
 * asks finds the one that serves.
 *
 * @param whose which process
 * @param since when the other one has taken its place
 * @param until when it ends at the latest
 * @param connections that clients have still, and sessions of UDP
 */
public record DrainingProcess(Whose whose, Instant since, Instant until, long connections) {
    static final String SUFFIX = ".drains";
    private static final int FILE_BYTES_MAX = 64 << 10;

    /** For so long a file stays that can't be read: another version may have written it. */
    private static final Duration UNREADABLE = Duration.ofDays(1);

    /**
     * What stays the same of it.
     *
     * @param pid its number
     * @param started when, as ISO 8601 writes it
     * @param version of Sigma
     * @param first the same for all processes that have followed each other
     */
    public record Whose(long pid, String started, String version, String first) {}

    /** Its number. */
    public long pid() {
        return whose.pid;
    }

    /** Of one container beside others that have the folder, too: the number alone may be there twice. */
    private Path file(RunFolder folder) {
        return folder.path().resolve(whose.pid + "-" + whose.started.replaceAll("[^0-9]", "") + SUFFIX);
    }

    /** Says it, or says it anew. */
    public void write(RunFolder folder) throws IOException {
        RunFolder.write(file(folder), PlainJson.line(fileJson()));
    }

    /** Whether it is said. */
    public boolean isWritten(RunFolder folder) {
        return Files.exists(file(folder));
    }

    /** It drains no more. */
    public void takeAway(RunFolder folder) throws IOException {
        Files.deleteIfExists(file(folder));
    }

    private Map<String, Object> fileJson() {
        Map<String, Object> json = json();
        json.put("first", whose.first);
        return json;
    }

    /** As {@code sigma status --json} has it. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("pid", whose.pid);
        json.put("version", whose.version);
        json.put("started", whose.started);
        json.put("since", since.toString());
        json.put("until", until.toString());
        json.put("connections", connections);
        return json;
    }

    /** {@code pid 4711 (sigma 0.2.0), until 2026-11-25T14:15:00Z at the latest, 3 connections}. */
    public String text() {
        return "pid " + whose.pid + " (sigma " + whose.version + "), until " + until.truncatedTo(ChronoUnit.SECONDS)
                + " at the latest, " + connections + (connections == 1 ? " connection" : " connections");
    }

    /** Those that live, in the order of their files' names; none where the folder can't be used. */
    public static List<DrainingProcess> in(RunFolder folder) {
        try {
            return folder.isThere()
                    ? LivingGateways.files(folder, SUFFIX).stream()
                            .map(DrainingProcess::read)
                            .filter(Objects::nonNull)
                            .filter(each -> each.process().isPresent())
                            .toList()
                    : List.of();
        } catch (IOException | SocketFault | UnsupportedOperationException e) {
            // On a system without the rights of Unix none drains.
            return List.of();
        }
    }

    /** It, as long as it lives. */
    public Optional<ProcessHandle> process() {
        return LivingProcess.find(whose.pid, whose.started).filter(LivingProcess::isAlive);
    }

    private static @Nullable DrainingProcess read(Path file) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                return null;
            }
            Map<String, @Nullable Object> json = PlainJson.read(Files.readAllBytes(file));
            Whose whose = new Whose(
                    number(json, "pid"),
                    PlainJson.textOf(json, "started"),
                    PlainJson.textOf(json, "version"),
                    PlainJson.textOf(json, "first"));
            return new DrainingProcess(
                    whose,
                    Instant.parse(PlainJson.textOf(json, "since")),
                    Instant.parse(PlainJson.textOf(json, "until")),
                    number(json, "connections"));
        } catch (IOException | DateTimeException e) {
            // It has ended meanwhile, or another version writes it otherwise.
            return null;
        }
    }

    private static long number(Map<String, @Nullable Object> json, String name) {
        return json.get(name) instanceof Number number ? number.longValue() : 0;
    }

    /** Takes away what processes left that were killed; not before their time is over, as one that isn't seen here may live in another container. What
     * can't be read stays for a day. */
    static void takeDeadAway(RunFolder folder, Instant now) throws IOException {
        for (Path file : LivingGateways.files(folder, SUFFIX)) {
            DrainingProcess said = read(file);
            if (said == null ? isOld(file, now) : said.process().isEmpty() && now.isAfter(said.until)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Who lives and finds it gone writes it again. */
    private static boolean isOld(Path file, Instant now) {
        try {
            return Files.getLastModifiedTime(file).toInstant().plus(UNREADABLE).isBefore(now);
        } catch (IOException e) {
            // It is gone.
            return false;
        }
    }
}
