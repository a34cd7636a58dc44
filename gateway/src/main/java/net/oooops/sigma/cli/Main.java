package net.oooops.sigma.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import net.oooops.sigma.observe.GatewayLog;
import net.oooops.sigma.observe.HiddenTexts;

/** Where the JVM begins: {@code sigma COMMAND ...}. */
public final class Main {
    private static final String RUN = "run";
    /** Set in a native binary. */
    static final String BINARY = "org.graalvm.nativeimage.imagecode";

    private static final String NO_UNSAFE = "io.netty.noUnsafe";

    private Main() {}

    /** Does what the command line says, and ends the JVM with the exit code. */
    public static void main(String[] args) {
        prepareBinary();
        if (args.length == 0 || !args[0].equals(RUN)) {
            // What a gateway says of itself is no answer to a question.
            GatewayLog.warningsAlone();
        }
        Console console = Console.ofProcess();
        try {
            System.exit(execute(args, console));
        } catch (RuntimeException | Error e) {
            System.exit(fault(e, console));
        }
    }

    /** What the launcher says to a JVM, a native binary is told by nobody: Netty may use Unsafe, without which a request costs half as much again. */
    private static void prepareBinary() {
        if (System.getProperty(BINARY) != null && System.getProperty(NO_UNSAFE) == null) {
            System.setProperty(NO_UNSAFE, "false");
        }
    }

    /** A fault of Sigma's own, or of a plugin's, as the JVM would tell it, but for secrets. */
    static int fault(Throwable thrown, Console console) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        console.err().print(HiddenTexts.hide(trace.toString()));
        return Exit.PROBLEMS;
    }

    /**
     * Does what the command line says.
     *
     * @return the exit code: 0; 1 for a configuration with problems or a gateway that can't start; 2 for wrong usage
     */
    public static int execute(String[] args, Console console) {
        RunWords plain = args.length > 0 && args[0].equals(RUN)
                ? RunWords.plain(Arrays.copyOfRange(args, 1, args.length))
                : null;
        return plain == null ? Dispatch.execute(args, console) : Run.ofProcess(plain, console);
    }
}
