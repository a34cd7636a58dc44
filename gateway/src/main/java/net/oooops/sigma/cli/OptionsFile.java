package net.oooops.sigma.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.Nearest;
import net.oooops.sigma.config.Place;
import net.oooops.sigma.config.Problem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/**
 * options.json: Vert.x's own VertxOptions. Vert.x passes over keys and values that it can't use; here they are problems, as
 * those of sigma.json are.
 */
final class OptionsFile {
    private enum Kind {
        NUMBER("a number"),
        FLAG("true or false"),
        TEXT("a string"),
        UNIT("one of " + Arrays.toString(TimeUnit.values())),
        OBJECT("an object");

        private final String expected;

        Kind(String expected) {
            this.expected = expected;
        }

        boolean admits(JsonParser parser) throws IOException {
            JsonToken token = parser.currentToken();
            return switch (this) {
                case NUMBER -> token == JsonToken.VALUE_NUMBER_INT;
                case FLAG -> token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE;
                case TEXT -> token == JsonToken.VALUE_STRING;
                case OBJECT -> token == JsonToken.START_OBJECT;
                case UNIT ->
                    token == JsonToken.VALUE_STRING
                            && Arrays.toString(TimeUnit.values()).matches(".*\\b" + parser.getText() + "\\b.*");
            };
        }
    }

    /** Sigma reads no files through Vert.x: its cache folder would be made at each start for nothing. */
    private static final FileSystemOptions NO_FILE_CACHE =
            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);

    /** Vert.x's key for the number of event loops, which is the number of Workers. */
    static final String EVENT_LOOPS = "eventLoopPoolSize";

    private static final Map<String, Kind> KEYS = new LinkedHashMap<>();

    static {
        keys(
                Kind.NUMBER,
                EVENT_LOOPS,
                "workerPoolSize",
                "internalBlockingPoolSize",
                "blockedThreadCheckInterval",
                "maxEventLoopExecuteTime",
                "maxWorkerExecuteTime",
                "warningExceptionTime",
                "quorumSize");
        keys(
                Kind.UNIT,
                "blockedThreadCheckIntervalUnit",
                "maxEventLoopExecuteTimeUnit",
                "maxWorkerExecuteTimeUnit",
                "warningExceptionTimeUnit");
        keys(Kind.FLAG, "haEnabled", "preferNativeTransport", "disableTCCL", "useDaemonThread");
        keys(Kind.TEXT, "haGroup");
        keys(
                Kind.OBJECT,
                "metricsOptions",
                "tracingOptions",
                "fileSystemOptions",
                "eventBusOptions",
                "addressResolverOptions");
    }

    private final List<Problem> problems = new ArrayList<>();
    private boolean namesEventLoops;

    private OptionsFile() {}

    private static void keys(Kind kind, String... names) {
        for (String name : names) {
            KEYS.put(name, kind);
        }
    }

    /** The option of the command line that names the file. */
    static OptionSpec option() {
        return Help.option("options", "FILE")
                .type(Path.class)
                .description("Vert.x's VertxOptions as JSON (options.json).")
                .build();
    }

    /**
     * What a file says.
     *
     * @param options as Vert.x reads them
     * @param namesEventLoops whether the number of event loops is from the file
     */
    record Options(VertxOptions options, boolean namesEventLoops) {}

    /** Reads that file; without one, Vert.x's defaults. */
    static Options read(@Nullable Path file) throws Failure {
        if (file == null) {
            return new Options(new VertxOptions().setFileSystemOptions(NO_FILE_CACHE), false);
        }
        Setup.requireFile("-options", file);
        return new OptionsFile().readNamed(file);
    }

    private Options readNamed(Path file) throws Failure {
        String text = "";
        try {
            text = Files.readString(file);
            check(text);
        } catch (JsonProcessingException e) {
            // Jackson adds where the value began, in words about its own settings.
            add(e.getLocation(), "", e.getOriginalMessage().replaceAll(" \\(start marker.*", ""), "JSON", null);
        } catch (IOException e) {
            add(JsonLocation.NA, "", String.valueOf(e), "a file in UTF-8", null);
        }
        if (problems.isEmpty()) {
            try {
                return new Options(new VertxOptions(new JsonObject(text)), namesEventLoops);
            } catch (RuntimeException e) {
                // A value that Vert.x itself refuses; it says which, not where.
                add(JsonLocation.NA, "", String.valueOf(e.getMessage()), "values that Vert.x takes", null);
            }
        }
        throw new Failure(Exit.PROBLEMS, new ConfigResult.Invalid(problems, 0).text(String.valueOf(file)));
    }

    private void check(String text) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                add(parser.currentTokenLocation(), "", "no object", "an object", null);
                return;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                checkKey(parser);
                parser.skipChildren();
            }
            if (parser.nextToken() != null) {
                add(parser.currentTokenLocation(), "", "something after the object", "the end", null);
            }
        }
    }

    private void checkKey(JsonParser parser) throws IOException {
        String key = parser.currentName();
        String pointer = "/" + key.replace("~", "~0").replace("/", "~1");
        JsonLocation at = parser.currentTokenLocation();
        Kind kind = KEYS.get(key);
        parser.nextToken();
        if (kind == null) {
            add(at, pointer, "unknown key \"" + key + "\"", "a key of VertxOptions", Nearest.of(key, KEYS.keySet()));
        } else if (!kind.admits(parser)) {
            add(parser.currentTokenLocation(), pointer, found(parser), kind.expected, null);
        }
        namesEventLoops |= key.equals(EVENT_LOOPS);
    }

    private static String found(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> '"' + parser.getText() + '"';
            default -> parser.getText();
        };
    }

    private void add(JsonLocation at, String pointer, String found, String expected, @Nullable String nearest) {
        Place place = at.equals(JsonLocation.NA)
                ? new Place(0, 0, pointer)
                : new Place(at.getLineNr(), at.getColumnNr(), pointer);
        problems.add(new Problem(place, found, expected, nearest));
    }
}
