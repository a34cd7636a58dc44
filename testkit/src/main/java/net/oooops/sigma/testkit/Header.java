package net.oooops.sigma.testkit;

/**
 * One header or trailer field line.
 *
 * @param name as written
 * @param value without the white space around it
 */
public record Header(String name, String value) {
    /** {@code name: value} without a line end. */
    @Override
    public String toString() {
        return name + ": " + value;
    }
}
