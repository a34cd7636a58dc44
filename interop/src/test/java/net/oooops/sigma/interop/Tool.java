package net.oooops.sigma.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What runs the clients of one language, with their libraries: built or installed once in each build folder, of pinned versions, from where the
 * language's own program gets them.
 *
 * @param command the words before the name of a script
 * @param whyNot why it can't be had here; null where it can
 */
record Tool(List<String> command, @Nullable String whyNot) {
    private static final Duration INSTALL_MAX = Duration.ofMinutes(3);
    private static final Map<String, String> GO =
            Map.of("GOTOOLCHAIN", "local", "GOFLAGS", "-buildvcs=false", "CGO_ENABLED", "0");
    private static final Map<String, Tool> MADE = new ConcurrentHashMap<>();

    /** Where the scripts are. */
    static Path scripts() {
        try {
            URL one = Objects.requireNonNull(Tool.class.getResource("/clients/cases.sh"));
            return Path.of(one.toURI()).resolveSibling("");
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Bash, and a program of Debian that its script calls. */
    static Tool bash(String program, String debian) {
        return Program.find(program).isPresent()
                ? new Tool(List.of("bash"), null)
                : missing(program + " is not here (Debian: " + debian + ")");
    }

    /** Python with requirements.txt, in a folder of its own. */
    static Tool python() {
        return MADE.computeIfAbsent("python", name -> ofProgram("python3", "python3, python3-venv", Tool::makePython));
    }

    /** Node with package.json. */
    static Tool node() {
        return MADE.computeIfAbsent("node", name -> ofProgram("npm", "nodejs, npm", Tool::makeNode));
    }

    /** The clients in Go. */
    static Tool go() {
        return MADE.computeIfAbsent("go", name -> ofProgram("go", "golang-go", () -> makeGo("clients", ".")));
    }

    /** h2spec, from its sources. */
    static Tool h2spec() {
        return MADE.computeIfAbsent(
                "h2spec",
                name -> ofProgram(
                        "go", "golang-go", () -> makeGo("h2spec", "github.com/summerwind/h2spec/cmd/h2spec")));
    }

    private static Tool ofProgram(String program, String debian, Supplier<Tool> making) {
        return Program.find(program).isPresent()
                ? making.get()
                : missing(program + " is not here (Debian: " + debian + ")");
    }

    private static Tool makePython() {
        Path python = built().resolve("python/bin/python");
        Path wanted = scripts().resolve("requirements.txt");
        Path installed = built().resolve("python/requirements.txt");
        if (same(wanted, installed)) {
            return new Tool(List.of(python.toString()), null);
        }
        String quiet = "pip install -q --disable-pip-version-check -r " + wanted;
        String line = "python3 -m venv --clear python && python/bin/" + quiet + " && cp " + wanted + " python/";
        return made(built(), Map.of(), List.of("bash", "-c", line), List.of(python.toString()));
    }

    private static Tool makeNode() {
        Path wanted = scripts().resolve("package.json");
        List<String> command = List.of("node");
        if (same(wanted, scripts().resolve("node_modules/package.json"))) {
            return new Tool(command, null);
        }
        String quiet = "npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts";
        return made(
                scripts(),
                Map.of(),
                List.of("bash", "-c", quiet + " && cp package.json node_modules/package.json"),
                command);
    }

    private static Tool makeGo(String name, String what) {
        String program = built().resolve(name).toString();
        return made(scripts(), GO, List.of("go", "build", "-o", program, what), List.of(program));
    }

    private static Tool made(Path folder, Map<String, String> variables, List<String> words, List<String> command) {
        Program.Ran ran = Program.run(folder, variables, INSTALL_MAX, words);
        return ran.exit() == 0
                ? new Tool(command, null)
                : missing(words + " ended with " + ran.exit() + ": " + ran.tail());
    }

    private static Tool missing(String why) {
        return new Tool(List.of(), why);
    }

    private static boolean same(Path wanted, Path installed) {
        try {
            return Files.exists(installed) && Files.mismatch(wanted, installed) < 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path built() {
        try {
            return Files.createDirectories(
                    scripts().resolve("../../clients").toAbsolutePath().normalize());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
