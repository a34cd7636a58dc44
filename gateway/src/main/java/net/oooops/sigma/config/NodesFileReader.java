package net.oooops.sigma.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.ask.FilePatience;

/**
 * Reads the files that {@code nodes-file} names. A problem in one is a problem of the place that names it, and says where in the file
 * it is.
 */
final class NodesFileReader {
    private final Set<Path> files;
    private final Problems problems;
    private final ConfigSchema schema;
    private final FilePatience patience;

    /** @param files gets what there is a problem with: the others are followed by themselves */
    NodesFileReader(Set<Path> files, Problems problems, ConfigSchema schema, FilePatience patience) {
        this.files = files;
        this.problems = problems;
        this.schema = schema;
        this.patience = patience;
    }

    /** The nodes by the upstream's id, of those that have such a file, as far as there is no problem with it. */
    Map<String, List<NodeConfig>> read(Json root) {
        Map<String, List<NodeConfig>> nodes = new HashMap<>();
        for (Json upstream : root.itemsOf("upstream")) {
            Json file = upstream.get(SourceCheck.FILE);
            if (file == null || !file.isText() || problems.has(file)) {
                continue;
            }
            try {
                NodesFile named = new NodesFile(file.path(), ProtocolCheck.scheme(upstream), schema, patience);
                switch (named.read()) {
                    case NodesFile.Content.Nodes found -> nodes.put(upstream.text("id", ""), found.nodes());
                    case NodesFile.Content.Refused refused -> {
                        files.add(named.file());
                        tell(file, refused);
                    }
                }
            } catch (InvalidPathException e) {
                problems.value(file, "the path of a file");
            }
        }
        return nodes;
    }

    private void tell(Json file, NodesFile.Content.Refused refused) {
        if (refused.unanswered()) {
            problems.unanswered();
        }
        for (Problem each : refused.problems()) {
            problems.add(new Problem(
                    file.place(), each.where(file.text()) + ": " + each.found(), each.expected(), each.nearest()));
        }
    }
}
