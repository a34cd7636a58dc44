package net.oooops.sigma.config;

/**
 * A place in a configuration file.
 *
 * @param file what the file is called; empty where whoever had it read gives it a name
 * @param line from 1
 * @param column from 1, in characters
 * @param pointer the JSON Pointer (RFC 6901) within that file, empty for the whole document
 */
public record Place(String file, int line, int column, String pointer) {

    /** A place in a file without a name. */
    public Place(int line, int column, String pointer) {
        this("", line, column, pointer);
    }
}
