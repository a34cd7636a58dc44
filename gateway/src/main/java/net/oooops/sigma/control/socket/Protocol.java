package net.oooops.sigma.control.socket;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What passes through the socket: one line of JSON each way, then the connection ends.
 *
 * <pre>
 *   {"protocol": 1, "command": "status", "arguments": {}, "timeout_ms": 30000}
 *   {"protocol": 1, "ok": true, "text": "...", "json": {...}}
 *   {"protocol": 1, "ok": false, "error": "..."}
 * </pre>
 */
final class Protocol {
    /** Another number where what one side sends can't be understood by an older other one. */
    static final int VERSION = 1;

    static final int REQUEST_BYTES_MAX = 1 << 20;
    static final int ANSWER_BYTES_MAX = 64 << 20;

    /** For how long who asks waits where it doesn't say. */
    private static final Duration PATIENCE_DEFAULT = Duration.ofSeconds(30);

    private Protocol() {}

    static byte[] request(String command, Map<String, ?> arguments, Duration patience) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("protocol", VERSION);
        json.put("command", command);
        json.put("arguments", arguments);
        json.put("timeout_ms", patience.toMillis());
        return PlainJson.line(json);
    }

    /**
     * What is asked.
     *
     * @throws Refused where that can't be understood
     */
    static Asked asked(Map<String, @Nullable Object> request, String who) throws Refused {
        requireVersion(request);
        Object arguments = request.getOrDefault("arguments", Map.of());
        Object patience = request.getOrDefault("timeout_ms", PATIENCE_DEFAULT.toMillis());
        if (!(request.get("command") instanceof String command)
                || !(arguments instanceof Map<?, ?> map)
                || !(patience instanceof Number millis)) {
            throw new Refused("a request that isn't understood (expected: command, arguments, timeout_ms)");
        }
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        map.forEach((name, value) -> named.put(String.valueOf(name), value));
        return new Asked(command, named, who, Duration.ofMillis(Math.max(0, millis.longValue())));
    }

    static byte[] answer(Answer answer) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("protocol", VERSION);
        json.put("ok", true);
        json.put("text", answer.text());
        json.put("json", answer.json());
        return PlainJson.line(json);
    }

    static byte[] error(String text) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("protocol", VERSION);
        json.put("ok", false);
        json.put("error", text);
        return PlainJson.line(json);
    }

    /**
     * What was answered.
     *
     * @throws Refused where that is an error, or can't be understood
     */
    static Answer answered(Map<String, @Nullable Object> answer) throws Refused {
        requireVersion(answer);
        if (Boolean.TRUE.equals(answer.get("ok")) && answer.get("json") instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            map.forEach((name, value) -> json.put(String.valueOf(name), value));
            return new Answer(String.valueOf(answer.get("text")), json);
        }
        throw new Refused(String.valueOf(answer.get("error")));
    }

    private static void requireVersion(Map<String, @Nullable Object> message) throws Refused {
        Object found = message.get("protocol");
        if (!Integer.valueOf(VERSION).equals(found)) {
            throw new Refused("protocol: " + found + " (expected: " + VERSION
                    + "); the gateway and ./sigma are of versions too far apart");
        }
    }
}
