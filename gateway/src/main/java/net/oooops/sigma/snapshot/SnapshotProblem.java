package net.oooops.sigma.snapshot;

/**
 * What of a valid sigma.json can't be used after all.
 *
 * @param pointer where it stands (RFC 6901)
 * @param found what stands there
 * @param expected what was expected
 */
public record SnapshotProblem(String pointer, String found, String expected) {}
