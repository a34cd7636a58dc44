package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import net.oooops.sigma.ask.FileAnswers;
import org.jspecify.annotations.Nullable;

/** Reads the keys that sticky cookies are signed with, and the files that hold them. */
final class StickyKeyReader {
    private static final int BYTES_MIN = 16;
    private static final int BYTES_MAX = 1024;

    private final NamedFile.Reading from;
    private final Problems problems;

    StickyKeyReader(NamedFile.Reading from) {
        this.from = from;
        this.problems = from.problems();
    }

    /** The keys by the upstream's id, of those that have one, as far as there is no problem with them. */
    Map<String, SecretKey> read(Json root) {
        Map<String, SecretKey> keys = new HashMap<>();
        for (Json upstream : root.itemsOf("upstream")) {
            Json sticky = upstream.get("sticky");
            byte[] key = sticky == null ? null : key(sticky);
            if (key != null) {
                keys.put(upstream.text("id", ""), new SecretKeySpec(key, StickyConfig.ALGORITHM));
            }
        }
        return keys;
    }

    private byte @Nullable [] key(Json sticky) {
        Json file = sticky.get("key-file");
        if (file != null && file.isText() && !problems.has(file)) {
            return fileKey(file);
        }
        Json key = sticky.get("key");
        return key == null || !key.isText() || problems.has(key)
                ? null
                : key.text().getBytes(UTF_8);
    }

    private byte @Nullable [] fileKey(Json file) {
        try {
            Path path = file.path();
            from.files().add(path);
            byte[] read = from.patience()
                    .ask(path, reading -> ConfigTexts.isEndless(path) ? null : reading.bytes(path, BYTES_MAX + 3));
            if (read == null) {
                problems.value(file, file.shown() + ", which is " + Unreadable.ENDLESS, "a file", null);
                return null;
            }
            return fileKey(file, withoutLineEnd(read));
        } catch (FileAnswers.Unanswered e) {
            problems.unanswered(file, file.shown(), e, "a file that can be read");
        } catch (InvalidPathException e) {
            problems.value(file, "the path of a file");
        } catch (NoSuchFileException e) {
            problems.value(file, file.shown() + ", which is not there", "a file", null);
        } catch (IOException e) {
            problems.value(file, "a file that can be read");
        }
        return null;
    }

    private byte @Nullable [] fileKey(Json file, byte[] key) {
        if (key.length >= BYTES_MIN && key.length <= BYTES_MAX) {
            return key;
        }
        String found = file.shown() + (key.length < BYTES_MIN ? ", which is shorter" : ", which is longer");
        problems.value(file, found, "a file of " + BYTES_MIN + " to " + BYTES_MAX + " bytes", null);
        return null;
    }

    private static byte[] withoutLineEnd(byte[] bytes) {
        int length = bytes.length;
        if (length > 0 && bytes[length - 1] == '\n') {
            length--;
            length -= length > 0 && bytes[length - 1] == '\r' ? 1 : 0;
        }
        return Arrays.copyOf(bytes, length);
    }
}
