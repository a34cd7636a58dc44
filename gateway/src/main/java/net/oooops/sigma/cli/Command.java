package net.oooops.sigma.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** One of the words after {@code sigma}. */
interface Command {
    /** What it takes and how it is described. Made without annotations: reading those costs the start more than parsing does. */
    CommandSpec spec();

    /**
     * Does it.
     *
     * @param words what was typed, as {@link #spec} understood it
     * @return the exit code
     * @throws Failure where it can't
     */
    int run(ParseResult words, Console console) throws Failure;
}
