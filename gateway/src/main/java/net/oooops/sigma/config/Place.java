package net.oooops.sigma.config;

/**
 * A place in a configuration file.
 *
 * @param line from 1
 * @param column from 1, in characters
 * @param pointer the JSON Pointer (RFC 6901), empty for the whole document
 */
public record Place(int line, int column, String pointer) {}
