package net.oooops.sigma.config;

/**
 * The access log ({@code plugins.log-config}).
 *
 * @param format of a line
 * @param file where lines go, {@link #STDOUT} or a path; one that is relative in sigma.json is so to its folder
 * @param queueLinesMax lines that may wait to be written; beyond, lines are dropped and counted
 */
public record AccessLogConfig(Format format, String file, int queueLinesMax) {

    /** The {@link #file} that means standard output. */
    public static final String STDOUT = "stdout";

    /** What holds where {@code log-config} says nothing more. */
    public static final AccessLogConfig DEFAULT = new AccessLogConfig(Format.COMBINED, STDOUT, 8192);

    /** How a line is written. */
    public sealed interface Format permits Named, LogTemplate {
        /** Apache's and nginx's combined format. */
        Format COMBINED = Named.COMBINED;

        /** One JSON object a line. */
        Format JSON = Named.JSON;
    }

    /** Formats that sigma.json has a name for. */
    public enum Named implements Format {
        COMBINED,
        JSON
    }
}
