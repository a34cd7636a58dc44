package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.Nearest;
import net.oooops.sigma.config.Place;
import net.oooops.sigma.config.Problem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/**
 * options.json: Vert.x's own VertxOptions, of which one key means something here. Vert.x would pass over all others, for what they
 * are about Sigma doesn't use or has keys of its own for: here they are problems, as those of sigma.json are, that say which.
 */
final class OptionsFile {
    /** Vert.x's key for the number of event loops, which is the number of Workers. */
    static final String EVENT_LOOPS = "eventLoopPoolSize";

    /** Sigma reads no files through Vert.x: its cache folder would be made at each start for nothing. */
    private static final FileSystemOptions NO_FILE_CACHE =
            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);

    /** Vert.x's other keys, and why each has no effect. */
    private static final Map<String, String> WITHOUT_EFFECT = new HashMap<>();

    static {
        withoutEffect(
                "Sigma runs nothing on Vert.x's worker threads",
                "workerPoolSize",
                "internalBlockingPoolSize",
                "maxWorkerExecuteTime",
                "maxWorkerExecuteTimeUnit");
        withoutEffect(
                "Vert.x's check doesn't see what Sigma does on event loops",
                "blockedThreadCheckInterval",
                "blockedThreadCheckIntervalUnit",
                "maxEventLoopExecuteTime",
                "maxEventLoopExecuteTimeUnit",
                "warningExceptionTime",
                "warningExceptionTimeUnit");
        withoutEffect(
                "Sigma has no cluster and no event bus of Vert.x's",
                "haEnabled",
                "haGroup",
                "quorumSize",
                "eventBusOptions");
        withoutEffect("runtime.transport of sigma.json says how sockets are driven", "preferNativeTransport");
        withoutEffect("Sigma finds nodes' names as the system does", "addressResolverOptions");
        withoutEffect("Sigma reads no files through Vert.x", "fileSystemOptions");
        withoutEffect("Vert.x sees no request and no connection of Sigma's", "metricsOptions", "tracingOptions");
        withoutEffect("Sigma's main thread waits for the end", "useDaemonThread");
        withoutEffect("Sigma uses no context class loader", "disableTCCL");
    }

    private static final int BYTES_MAX = 1 << 20;

    private final List<Problem> problems = new ArrayList<>();
    private int eventLoops;

    private OptionsFile() {}

    private static void withoutEffect(String why, String... keys) {
        for (String key : keys) {
            WITHOUT_EFFECT.put(key, why);
        }
    }

    /** The option of the command line that names the file. */
    static OptionSpec option() {
        return Help.option("options", "FILE")
                .type(Path.class)
                .description("Vert.x's VertxOptions as JSON (options.json): " + EVENT_LOOPS
                        + " is the key that has an effect here, others are problems.")
                .build();
    }

    /**
     * What a file says.
     *
     * @param options for Vert.x
     * @param namesEventLoops whether the number of event loops is from the file
     */
    record Options(VertxOptions options, boolean namesEventLoops) {}

    /** What is written in that file; null without one. */
    static byte @Nullable [] bytes(@Nullable Path file, FilesOfStart reading) throws Failure {
        if (file == null) {
            return null;
        }
        Setup.requireFile("-options", file);
        try {
            return reading.bytes(file, BYTES_MAX);
        } catch (IOException e) {
            OptionsFile refused = new OptionsFile();
            refused.add(JsonLocation.NA, "", String.valueOf(e), "a file that can be read", null);
            throw refused.failure(file);
        }
    }

    /** What that means; without a file, Vert.x's defaults. */
    static Options of(@Nullable Path file, byte @Nullable [] written) throws Failure {
        VertxOptions options = new VertxOptions().setFileSystemOptions(NO_FILE_CACHE);
        if (file == null || written == null) {
            return new Options(options, false);
        }
        int eventLoops = new OptionsFile().eventLoops(file, written);
        return eventLoops == 0
                ? new Options(options, false)
                : new Options(options.setEventLoopPoolSize(eventLoops), true);
    }

    /** The number of event loops, 0 where it isn't said. */
    private int eventLoops(Path file, byte[] written) throws Failure {
        try {
            if (written.length > BYTES_MAX) {
                add(JsonLocation.NA, "", "a longer file", "at most " + BYTES_MAX + " bytes", null);
            } else {
                check(UTF_8.newDecoder().decode(ByteBuffer.wrap(written)).toString());
            }
        } catch (JsonProcessingException e) {
            // Jackson adds where the value began, in words about its own settings.
            add(e.getLocation(), "", e.getOriginalMessage().replaceAll(" \\(start marker.*", ""), "JSON", null);
        } catch (IOException e) {
            add(JsonLocation.NA, "", String.valueOf(e), "a file in UTF-8", null);
        }
        if (!problems.isEmpty()) {
            throw failure(file);
        }
        return eventLoops;
    }

    private Failure failure(Path file) {
        return new Failure(Exit.PROBLEMS, new ConfigResult.Invalid(problems, 0, List.of()).text(String.valueOf(file)));
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
        parser.nextToken();
        String why = WITHOUT_EFFECT.get(key);
        if (key.equals(EVENT_LOOPS)) {
            checkEventLoops(parser, pointer);
        } else if (why != null) {
            add(at, pointer, "a key without effect here", "only " + EVENT_LOOPS + "; " + why, null);
        } else {
            add(at, pointer, "unknown key \"" + key + "\"", EVENT_LOOPS, Nearest.of(key, List.of(EVENT_LOOPS)));
        }
    }

    private void checkEventLoops(JsonParser parser, String pointer) throws IOException {
        boolean fits = parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                && parser.getText().length()
                        <= String.valueOf(Run.INSTANCES_MAX).length()
                && parser.getIntValue() >= 1
                && parser.getIntValue() <= Run.INSTANCES_MAX;
        if (fits) {
            eventLoops = parser.getIntValue();
        } else {
            String expected = "1 to " + Run.INSTANCES_MAX;
            add(parser.currentTokenLocation(), pointer, found(parser), expected, null);
        }
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
