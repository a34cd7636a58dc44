package net.oooops.sigma.snapshot;

import java.util.List;

/** Plugins that couldn't be made, and certificates that can't be shown; all of them at once. */
public final class SnapshotException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<SnapshotProblem> problems;

    SnapshotException(List<SnapshotProblem> problems) {
        super(problems.size() + " plugins or certificates can't be used");
        this.problems = List.copyOf(problems);
    }

    /** Each with its place in sigma.json. */
    public List<SnapshotProblem> problems() {
        return problems;
    }
}
