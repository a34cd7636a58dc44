package net.oooops.sigma.interop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client that others wrote. */
interface Client {
    /** What it is called. */
    String name();

    /** Whether it has to be there where everything is to be shown. */
    boolean isExpected();

    /** What it can speak. */
    List<Wire> wires();

    /** Why it can't be had here; null where it can. */
    @Nullable String whyNot();

    /** Tries every case with what is at the address; trusts that certificate. */
    List<Outcome> run(Wire wire, String url, Path certificate);

    /**
     * One that a script drives.
     *
     * @param script its name among the scripts; none where the tool itself is the client
     */
    record Scripted(String name, boolean isExpected, List<Wire> wires, Supplier<Tool> tool, String script)
            implements Client {
        private static final Duration DEADLINE = Duration.ofMinutes(1);

        @Override
        public @Nullable String whyNot() {
            return tool.get().whyNot();
        }

        @Override
        public List<Outcome> run(Wire wire, String url, Path certificate) {
            List<String> words = new ArrayList<>(tool.get().command());
            if (!script.isEmpty()) {
                words.add(Tool.scripts().resolve(script).toString());
            }
            words.addAll(List.of(wire.toString(), url));
            Map<String, String> variables = Map.of("SIGMA_CA", certificate.toString(), "PYTHONDONTWRITEBYTECODE", "1");
            Program.Ran ran = Program.run(Tool.scripts(), variables, DEADLINE, words);
            if (ran.exit() != 0) {
                throw new AssertionError(words + " ended with " + ran.exit() + ": " + ran.tail());
            }
            return Outcome.parse(ran.out());
        }
    }
}
