package net.oooops.sigma.control.upgrade;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.control.socket.LogLevels;
import net.oooops.sigma.upstream.SteeredNodes;
import org.jspecify.annotations.Nullable;

/** All that operators have said and that another process is told: of nodes, and how much the log says. */
final class OperatorWords {
    private OperatorWords() {}

    /** What holds here. */
    static Map<String, Object> of(SteeredNodes steered) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put(Said.NODES, NodeWords.of(steered.all()));
        message.put(Said.LOG_LEVELS, LogLevels.said());
        return message;
    }

    /** Whether a message tells that. */
    static boolean isIn(Map<String, @Nullable Object> message) {
        return message.get(Said.NODES) instanceof List<?>;
    }

    /** How much a message tells. */
    static String text(Map<String, @Nullable Object> message) {
        int nodes = message.get(Said.NODES) instanceof List<?> all ? all.size() : 0;
        int levels = message.get(Said.LOG_LEVELS) instanceof Map<?, ?> all ? all.size() : 0;
        return "nodes " + nodes + ", log levels " + levels;
    }

    /** It holds here from now on. */
    static void hear(Map<String, @Nullable Object> message, SteeredNodes steered) {
        if (message.get(Said.NODES) instanceof List<?> nodes) {
            steered.hear(NodeWords.read(nodes), System.nanoTime());
        }
        if (message.get(Said.LOG_LEVELS) instanceof Map<?, ?> levels) {
            LogLevels.hear(levels);
        }
    }
}
