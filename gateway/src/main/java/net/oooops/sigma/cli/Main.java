package net.oooops.sigma.cli;

import java.util.Arrays;

/** Where the JVM begins: {@code sigma COMMAND ...}. */
public final class Main {
    private static final String RUN = "run";

    private Main() {}

    /** Does what the command line says, and ends the JVM with the exit code. */
    public static void main(String[] args) {
        System.exit(execute(args, Console.ofProcess()));
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
        if (plain == null) {
            return Dispatch.execute(args, console);
        }
        try {
            return new Run(Signals.ofProcess()).run(plain, console);
        } catch (Failure e) {
            return e.report("sigma run", console);
        }
    }
}
