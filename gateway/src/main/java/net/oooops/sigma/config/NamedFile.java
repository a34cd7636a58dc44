package net.oooops.sigma.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.ask.FilePatience;
import org.jspecify.annotations.Nullable;

/**
 * A text in a file of its own, which a value of sigma.json names.
 *
 * @param bytesMax how long it may be
 * @param most that, for the operator
 */
record NamedFile(int bytesMax, String most) {
    /**
     * What all such files of a configuration are read with.
     *
     * @param files gets their paths
     */
    record Reading(Set<Path> files, Problems problems, FilePatience patience) {}

    /**
     * What is in it; null where there is a problem, which is told then.
     *
     * @param file names it
     */
    @Nullable String read(Json file, Reading from) {
        Problems problems = from.problems;
        try {
            Path path = file.path();
            from.files.add(path);
            return text(file, from.patience.ask(path, reading -> bytes(path, reading)), problems);
        } catch (InvalidPathException e) {
            problems.value(file, "the path of a file");
        } catch (NoFile e) {
            problems.value(file, file.shown() + ", which is " + e.getMessage(), "a file", null);
        } catch (NoSuchFileException e) {
            problems.value(file, file.shown() + ", which is not there", "a file", null);
        } catch (CharacterCodingException e) {
            problems.value(file, file.shown() + ", which is not UTF-8", "a file in UTF-8", null);
        } catch (FileAnswers.Unanswered e) {
            problems.unanswered(file, file.shown(), e, "a file that can be read");
        } catch (IOException e) {
            problems.value(file, "a file that can be read");
        }
        return null;
    }

    private byte[] bytes(Path path, FileAnswers.Reading reading) throws IOException {
        // Reading a pipe or a device may never come to its end.
        if (!Files.isRegularFile(path) && Files.exists(path)) {
            throw new NoFile(Files.isDirectory(path) ? Unreadable.FOLDER : "no file");
        }
        return reading.bytes(path, bytesMax + 1);
    }

    /** A path that leads to something else. */
    private static final class NoFile extends IOException {
        private static final long serialVersionUID = 1L;

        NoFile(String what) {
            super(what);
        }
    }

    private @Nullable String text(Json file, byte[] bytes, Problems problems) throws CharacterCodingException {
        if (bytes.length > bytesMax) {
            problems.value(file, file.shown() + ", which is longer", "a file of at most " + most, null);
            return null;
        }
        return Utf8.decode(bytes, 0);
    }
}
