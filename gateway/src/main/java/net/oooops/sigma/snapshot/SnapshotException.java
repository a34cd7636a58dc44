package net.oooops.sigma.snapshot;

import java.util.List;

/** Plugins that couldn't be made, all of them at once. */
public final class SnapshotException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<PluginProblem> problems;

    SnapshotException(List<PluginProblem> problems) {
        super(problems.size() + " plugins can't be made with their settings");
        this.problems = List.copyOf(problems);
    }

    /** Each with its place in sigma.json. */
    public List<PluginProblem> problems() {
        return problems;
    }
}
