package net.oooops.sigma.config;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** What reading a configuration file came to. Immutable. */
public sealed interface ConfigResult {
    /**
     * All that was read, or was to be and isn't there, but for certificates and keys, and files of nodes that are fine, which are followed by
     * themselves: sigma.json itself first, where it is a file.
     */
    List<Path> files();

    /**
     * The file makes sense.
     *
     * @param config what it says
     * @param warnings what is right but probably not meant, in the order of the file
     * @param placeOf the place of a JSON Pointer, or of the nearest value around it; for what is found wrong later
     * @param secrets what no text for users may show
     * @param files as above
     * @param texts the files of configuration among them, with what was in them, and what was read from no file
     * @param routes for whoever reads the same files again
     */
    record Valid(
            SigmaConfig config,
            List<Problem> warnings,
            Function<String, Place> placeOf,
            Secrets secrets,
            List<Path> files,
            List<ConfigText> texts,
            KnownRoutes routes)
            implements ConfigResult {
        public Valid {
            warnings = List.copyOf(warnings);
            files = List.copyOf(files);
            texts = List.copyOf(texts);
        }
    }

    /**
     * The file does not make sense.
     *
     * @param problems in the order of the file, at least one
     * @param omittedCount how many more there are
     * @param files as above, as far as it was read
     * @param unanswered whether a file hasn't answered in time: once it does, with the same texts there may be no problem
     */
    record Invalid(List<Problem> problems, int omittedCount, List<Path> files, boolean unanswered)
            implements ConfigResult {
        public Invalid {
            problems = List.copyOf(problems);
            files = List.copyOf(files);
        }

        /** The same where all have answered. */
        public Invalid(List<Problem> problems, int omittedCount, List<Path> files) {
            this(problems, omittedCount, files, false);
        }

        /**
         * All problems as text, one a line.
         *
         * @param name how the file is called, where its places don't say
         */
        public String text(String name) {
            StringBuilder text = new StringBuilder();
            problems.forEach(problem -> text.append(problem.text(name)).append('\n'));
            if (omittedCount > 0) {
                text.append(name).append(": ").append(omittedCount).append(" more problems\n");
            }
            return text.toString();
        }
    }
}
