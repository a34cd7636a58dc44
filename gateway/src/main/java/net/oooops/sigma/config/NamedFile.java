package net.oooops.sigma.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A text in a file of its own, which a value of sigma.json names.
 *
 * @param bytesMax how long it may be
 * @param most that, for the operator
 */
record NamedFile(int bytesMax, String most) {
    /**
     * What is in it; null where there is a problem, which is told then.
     *
     * @param file names it
     * @param files gets its path
     */
    @Nullable String read(Json file, Set<Path> files, Problems problems) {
        try {
            Path path = file.path();
            files.add(path);
            // Reading a pipe or a device may never come to its end.
            if (!Files.isRegularFile(path) && Files.exists(path)) {
                String what = Files.isDirectory(path) ? ", which is a folder" : ", which is no file";
                problems.value(file, file.shown() + what, "a file", null);
                return null;
            }
            return read(file, path, problems);
        } catch (InvalidPathException e) {
            problems.value(file, "the path of a file");
        } catch (NoSuchFileException e) {
            problems.value(file, file.shown() + ", which is not there", "a file", null);
        } catch (CharacterCodingException e) {
            problems.value(file, file.shown() + ", which is not UTF-8", "a file in UTF-8", null);
        } catch (IOException e) {
            problems.value(file, "a file that can be read");
        }
        return null;
    }

    private @Nullable String read(Json file, Path path, Problems problems) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(bytesMax + 1);
            if (bytes.length > bytesMax) {
                problems.value(file, file.shown() + ", which is longer", "a file of at most " + most, null);
                return null;
            }
            return Utf8.decode(bytes, 0);
        }
    }
}
