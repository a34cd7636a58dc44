package net.oooops.sigma.observe;

import java.util.regex.Pattern;

/** Lines of the access log. */
public final class Lines {
    private static final Pattern COMBINED =
            Pattern.compile("192\\.0\\.2\\.7 - - \\[[^]]*] \"GET /a\\?b=c HTTP/1.1\" 200 \\d+ \"-\" \"-\" -");
    private static final Pattern JSON = Pattern.compile("\\{\"[^{}]*}");

    private Lines() {}

    /** One more. */
    public static void append(AccessLog.Appender appender, int number) {
        TestRecord ended = new TestRecord();
        ended.bodyBytesSent = number;
        appender.append(ended);
    }

    /** Whether nothing of it is missing, and it is nothing more. */
    public static boolean isWhole(String line) {
        return COMBINED.matcher(line).matches() || JSON.matcher(line).matches();
    }
}
