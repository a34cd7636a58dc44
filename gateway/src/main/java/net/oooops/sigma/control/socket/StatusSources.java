package net.oooops.sigma.control.socket;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.oooops.sigma.upstream.SteeredNodes;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * Where a status comes from. All of it may be asked on any thread, and costs the Workers nothing.
 *
 * @param version of Sigma
 * @param since when the process was started
 * @param configuration what holds now
 * @param rolledBack whether that is an earlier one, and not what the files say
 * @param listeners the sockets that clients connect to
 * @param connections how many client connections are open, and sessions of UDP
 * @param upstreams those that there are now
 * @param absent what operators have said of nodes that aren't there
 * @param dropIns the jars of plugins that weren't built in
 * @param stillDraining the processes whose place this one has taken, or one before it, and that drain still
 * @param draining whether the gateway is about to end
 */
public record StatusSources(
        String version,
        Instant since,
        Supplier<Configuration> configuration,
        BooleanSupplier rolledBack,
        Supplier<List<Listening>> listeners,
        LongSupplier connections,
        Supplier<List<Upstream>> upstreams,
        Supplier<List<SteeredNodes.Word>> absent,
        Supplier<List<DroppedIn>> dropIns,
        Supplier<List<DrainingProcess>> stillDraining,
        BooleanSupplier draining) {

    /**
     * A configuration that took effect.
     *
     * @param generation 1 for the one that the process was started with, one more for each after that
     * @param number of the history, or none where it isn't kept
     * @param hash of the files' texts, by {@code SHA-256}
     * @param since when it took effect
     * @param who had it take effect: a user's name, {@code start}, {@code signal} or {@code watch}
     * @param files that it was read from
     */
    public record Configuration(
            int generation, OptionalInt number, String hash, Instant since, String who, List<String> files) {
        public Configuration {
            files = List.copyOf(files);
        }

        Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("generation", generation);
            json.put("number", number.isPresent() ? number.getAsInt() : null);
            json.put("sha256", hash);
            json.put("since", since.toString());
            json.put("by", who);
            json.put("files", files);
            return json;
        }
    }

    /**
     * A socket that clients connect to.
     *
     * @param id of the Listener
     * @param url such as {@code https://0.0.0.0:8443}
     * @param connections how many clients have, or sessions; null where that isn't known
     */
    public record Listening(String id, String url, @Nullable Integer connections) {}

    /**
     * A jar of plugins, or a folder with several jars.
     *
     * @param from where it is
     * @param plugins their names
     * @param hashes of each jar, by {@code SHA-256}
     */
    public record DroppedIn(String from, List<String> plugins, List<String> hashes) {
        public DroppedIn {
            plugins = List.copyOf(plugins);
            hashes = List.copyOf(hashes);
        }

        /** The beginnings of hashes are enough to tell two jars apart. */
        String text() {
            List<String> begins = hashes.stream()
                    .map(each -> each.substring(0, Math.min(12, each.length())))
                    .toList();
            return String.join(", ", plugins) + " (" + from + ", sha256 " + String.join(", ", begins) + ")";
        }

        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("from", from);
            json.put("plugins", plugins);
            json.put("sha256", hashes);
            return json;
        }
    }
}
