package net.oooops.sigma.control.history;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.control.socket.PlainJson;
import org.jspecify.annotations.Nullable;

/**
 * A configuration as it is kept in one file: a line of JSON that says what it is and how long each of its texts, then these, one right behind the other. It is
 * written under its own name, so another process may see a part of it: a file that isn't as long as its line says is none.
 *
 * <p>Any thread; it blocks.
 */
final class EntryFile {
    private static final String LENGTHS = "bytes";
    private static final int LINE_BYTES_MAX = 1 << 20;

    private EntryFile() {}

    /**
     * The first line.
     *
     * @param lengths of the texts behind it
     * @param bytes its own length, with its end
     */
    private record Line(Entry entry, List<Integer> lengths, int bytes) {}

    /** What is to be written, in its order. */
    static List<byte[]> parts(Entry entry, List<ConfigText> files) {
        Map<String, Object> json = entry.json();
        json.put(LENGTHS, files.stream().map(each -> each.bytes().length).toList());
        List<byte[]> parts = new ArrayList<>();
        parts.add(PlainJson.line(json));
        parts.add(new byte[] {'\n'});
        files.forEach(each -> parts.add(each.bytes()));
        return parts;
    }

    /** What a file says that it is; null where it isn't whole, or says something else. */
    static @Nullable Entry entry(Path file, int number) {
        try (InputStream in = open(file)) {
            Line line = line(in, number);
            return line == null || Files.size(file) != bytes(line) ? null : line.entry;
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /** The texts of that entry. */
    static List<ConfigText> texts(Path file, Entry entry) throws IOException {
        try (InputStream in = open(file)) {
            Line line = line(in, entry.number());
            if (line == null || Files.size(file) != bytes(line)) {
                throw new EOFException("it isn't whole");
            }
            List<ConfigText> texts = new ArrayList<>();
            for (int i = 0; i < line.lengths.size(); i++) {
                texts.add(new ConfigText(line.entry.files().get(i), in.readNBytes(line.lengths.get(i))));
            }
            return texts;
        }
    }

    private static InputStream open(Path file) throws IOException {
        return new BufferedInputStream(Files.newInputStream(file));
    }

    private static long bytes(Line line) {
        long bytes = line.bytes;
        for (int each : line.lengths) {
            bytes += each;
        }
        return bytes;
    }

    private static @Nullable Line line(InputStream in, int number) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        while (next >= 0 && next != '\n' && line.size() < LINE_BYTES_MAX) {
            line.write(next);
            next = in.read();
        }
        Map<String, @Nullable Object> json = PlainJson.read(line.toByteArray());
        Entry entry = Entry.of(number, json);
        List<Integer> lengths = lengths(json.get(LENGTHS));
        return entry == null || lengths.size() != entry.files().size()
                ? null
                : new Line(entry, lengths, line.size() + 1);
    }

    private static List<Integer> lengths(@Nullable Object json) {
        List<Integer> lengths = new ArrayList<>();
        if (json instanceof List<?> all) {
            for (Object each : all) {
                if (each instanceof Integer length && length >= 0) {
                    lengths.add(length);
                }
            }
        }
        return lengths;
    }
}
