package net.oooops.sigma.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.ask.FilePatience;
import org.jspecify.annotations.Nullable;

/**
 * A file with the nodes of an upstream: a list, JSON or YAML, of the form of {@code nodes} in sigma.json.
 *
 * <p>For one thread at a time; reading it blocks.
 */
public final class NodesFile {
    /** The longest file that is read. */
    public static final int FILE_BYTES_MAX = 8 << 20;

    private final Path file;
    private final NodeScheme scheme;
    private final FilePatience patience;
    private @Nullable ConfigSchema schema;

    /**
     * @param file where it is
     * @param scheme that of all of its nodes
     */
    public NodesFile(Path file, NodeScheme scheme) {
        this(file, scheme, null, FilePatience.BOUNDED);
    }

    NodesFile(Path file, NodeScheme scheme, @Nullable ConfigSchema schema, FilePatience patience) {
        this.patience = patience;
        this.file = file;
        this.scheme = scheme;
        this.schema = schema;
    }

    /** What was found in it. */
    public sealed interface Content {
        /** Nodes: at least one, no two with the same host and port. */
        record Nodes(List<NodeConfig> nodes) implements Content {
            public Nodes {
                nodes = List.copyOf(nodes);
            }
        }

        /**
         * What is wrong with it.
         *
         * @param problems in the order of the file: at least one
         * @param unanswered whether nothing is known of it, as it didn't answer in time
         */
        record Refused(List<Problem> problems, boolean unanswered) implements Content {
            public Refused {
                problems = List.copyOf(problems);
            }
        }
    }

    /** Where it is. */
    public Path file() {
        return file;
    }

    /** Reads it. */
    public Content read() {
        Problems problems = new Problems();
        String atMost = "at most " + FILE_BYTES_MAX + " bytes";
        JsonFile reading = new JsonFile(FILE_BYTES_MAX, atMost, Source.of(file).unnamed(), problems);
        Json list = reading.read(file, new ConfigTexts(null, null, patience));
        if (list == null) {
            return new Content.Refused(problems.sorted(), reading.isUnanswered());
        }
        schema().checkNodes(list, problems);
        MeaningCheck.nodes(list.items(), problems);
        ProtocolCheck.nodes(list.items(), scheme, true, "\"protocol\" of the upstream says", problems);
        BreakerCheck.backups(list.items(), problems);
        return problems.isEmpty()
                ? new Content.Nodes(ConfigBuilder.nodes(list.items()))
                : new Content.Refused(problems.sorted(), false);
    }

    private ConfigSchema schema() {
        ConfigSchema known = schema;
        if (known == null) {
            known = new ConfigSchema(Map.of());
            schema = known;
        }
        return known;
    }
}
