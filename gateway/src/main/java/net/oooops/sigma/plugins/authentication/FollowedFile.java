package net.oooops.sigma.plugins.authentication;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Schedule;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that is read when the plugin is made, and again when it has changed: it is looked at every second, by a timer. One that is gone, or can't be used, is
 * told of once, and what was read before stays, until it is fine again, which is told, too; nor does an error of the JVM's end it.
 */
public final class FollowedFile {
    private static final Logger LOG = LoggerFactory.getLogger(FollowedFile.class);
    private static final int BYTES_MAX = 8 << 20;
    private static final Schedule EVERY_SECOND =
            Schedule.every(Duration.ofSeconds(1)).first(Duration.ZERO);

    private final Path path;
    private final Consumer<String> taker;
    private byte[] last;
    private @Nullable String told;

    private FollowedFile(Path path, Consumer<String> taker, byte[] last) {
        this.path = path;
        this.taker = taker;
        this.last = last;
    }

    /**
     * Reads the file that a setting names, and follows it while the plugin runs. One for each plugin.
     *
     * @param context of the plugin that is being made
     * @param taker takes the text, now and when it changes; throws UnfitException with what was expected where it can't
     * @throws net.oooops.sigma.api.SettingsException where it can't be read, or not be taken
     */
    public static void follow(Settings name, PluginContext context, Consumer<String> taker) {
        try {
            Path path = Path.of(name.string());
            byte[] bytes = FileBytes.of(path, BYTES_MAX);
            taker.accept(text(bytes));
            FollowedFile file = new FollowedFile(path, taker, bytes);
            context.timer("follow-file", EVERY_SECOND, file::look);
        } catch (UnfitException e) {
            throw name.unexpected("a file that can be used: " + e.expected());
        } catch (NoSuchFileException _) {
            throw name.unexpected("a file; this one is not there");
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            throw name.unexpected("a file that can be read (" + e + ")");
        }
    }

    private void look() {
        try {
            byte[] bytes = FileBytes.of(path, BYTES_MAX);
            if (Arrays.equals(bytes, last)) {
                if (told != null) {
                    LOG.info("{}: fine again, as it was read before", path);
                }
                told = null;
                return;
            }
            taker.accept(text(bytes));
            last = bytes;
            told = null;
            LOG.info("{}: read again", path);
        } catch (UnfitException e) {
            tell("expected: " + e.expected());
        } catch (IOException | RuntimeException | Error e) {
            tell(e.toString());
        }
    }

    private void tell(String problem) {
        if (!problem.equals(told)) {
            told = problem;
            LOG.warn("{}: stays as it was read before ({})", path, problem);
        }
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new UnfitException("text in UTF-8");
        }
    }
}
