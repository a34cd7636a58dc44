package net.oooops.sigma.control.socket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that can be asked, as it says beside its socket.
 *
 * @param socket where it listens
 * @param pid of its process; 0 where that isn't known
 * @param conf the sigma.json it was started with, or the words of the command line in its place; empty: the one embedded in Sigma
 * @param since when its process was started, as ISO 8601 writes it
 * @param version of Sigma
 */
public record Presence(Path socket, long pid, String conf, String since, String version) {
    static final String SOCKET_SUFFIX = ".sock";
    static final String SUFFIX = ".json";
    private static final int FILE_BYTES_MAX = 64 << 10;

    /** Of a gateway that has no socket yet: it gets one in that folder when it is opened. */
    public static Presence ofProcess(String conf, Instant since, String version) {
        return new Presence(Path.of(""), ProcessHandle.current().pid(), conf, since.toString(), version);
    }

    Presence at(Path place) {
        return new Presence(place, pid, conf, since, version);
    }

    /** The file that says it. */
    Path file() {
        return file(socket);
    }

    static Path file(Path socket) {
        String name = socket.getFileName().toString();
        return socket.resolveSibling(name.substring(0, name.length() - SOCKET_SUFFIX.length()) + SUFFIX);
    }

    byte[] json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("pid", pid);
        json.put("conf", conf);
        json.put("since", since);
        json.put("version", version);
        return PlainJson.line(json);
    }

    /** What stands beside that socket. Where nothing does, or nothing that can be read, its name has to do. */
    static Presence beside(Path socket) {
        Map<String, @Nullable Object> json = Map.of();
        try {
            Path file = file(socket);
            if (Files.size(file) <= FILE_BYTES_MAX) {
                json = PlainJson.read(Files.readAllBytes(file));
            }
        } catch (IOException e) {
            json = Map.of();
        }
        long pid = json.get("pid") instanceof Number number ? number.longValue() : pidOf(socket);
        return new Presence(
                socket,
                pid,
                PlainJson.textOf(json, "conf"),
                PlainJson.textOf(json, "since"),
                PlainJson.textOf(json, "version"));
    }

    /** The socket beside which that file stands. */
    static Path socket(Path file) {
        String name = file.getFileName().toString();
        return file.resolveSibling(name.substring(0, name.length() - SUFFIX.length()) + SOCKET_SUFFIX);
    }

    /** By its name; 0 where that says none. */
    static long pidOf(Path socket) {
        String digits = socket.getFileName().toString().replaceAll("[^0-9].*", "");
        return digits.isEmpty() || digits.length() > 9 ? 0 : Long.parseLong(digits);
    }

    /** Whether that process lives here, and not another one that has its number now. */
    boolean isAlive() {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().startInstant())
                .map(Instant::toString)
                .filter(since::equals)
                .isPresent();
    }

    /** {@code pid 4711 (/etc/sigma/sigma.json, since 2026-11-25T14:00:00Z)}. */
    public String text() {
        String what = conf.isEmpty() ? "the embedded configuration" : conf;
        return "pid " + pid + " (" + what + (since.isEmpty() ? "" : ", since " + since) + ")";
    }
}
