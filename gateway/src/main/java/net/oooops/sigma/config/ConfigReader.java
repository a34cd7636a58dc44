package net.oooops.sigma.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * Reads sigma.json: text to a tree with places, checked against the schema with those of the plugins in it, then for what a schema
 * cannot say, then made into records.
 *
 * <p>For one thread at a time. The schema is read when the first file is, once.
 */
public final class ConfigReader {

    /** The longest file that is read. */
    public static final int FILE_BYTES_MAX = 32 << 20;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final Map<String, String> pluginSchemas;
    private final PluginTrial trial;
    private @Nullable ConfigSchema schema;
    private boolean onThisMachine;

    /** @param pluginSchemas the JSON Schema texts of the plugins that may be used, by name */
    public ConfigReader(Map<String, String> pluginSchemas) {
        this(pluginSchemas, PluginTrial.NONE);
    }

    /**
     * @param pluginSchemas the JSON Schema texts of the plugins that may be used, by name
     * @param trial asked about all settings that those schemas have nothing against
     */
    public ConfigReader(Map<String, String> pluginSchemas, PluginTrial trial) {
        this.trial = trial;
        this.pluginSchemas = new LinkedHashMap<>(pluginSchemas);
    }

    /** Has it look also at what only the machine knows that the gateway is to run on: whether the access log's file can be written. */
    public ConfigReader onThisMachine() {
        onThisMachine = true;
        return this;
    }

    /**
     * Reads a file. A file that is missing or cannot be read is a problem like any other.
     *
     * @throws IllegalArgumentException where a plugin's schema cannot be used, naming the plugin
     */
    public ConfigResult read(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(FILE_BYTES_MAX + 1);
            return read(bytes, parent == null ? file.toAbsolutePath() : parent);
        } catch (NoSuchFileException e) {
            return refused(0, 0, "no such file", "a file that can be read");
        } catch (IOException e) {
            String found = Files.isDirectory(file) ? "a folder" : String.valueOf(e);
            return refused(0, 0, found, "a file that can be read");
        }
    }

    /**
     * Reads the bytes of a file.
     *
     * @param json UTF-8, with or without a byte order mark
     * @param folder what paths of files named in it are relative to
     * @throws IllegalArgumentException where a plugin's schema cannot be used, naming the plugin
     */
    public ConfigResult read(byte[] json, Path folder) {
        if (json.length > FILE_BYTES_MAX) {
            return refused(0, 0, "a file of more bytes", "at most " + FILE_BYTES_MAX + " bytes");
        }
        int start = startsWithMark(json) ? BYTE_ORDER_MARK.length : 0;
        String text;
        try {
            text = Utf8.decode(json, start);
        } catch (CharacterCodingException e) {
            return notUtf8(json, start);
        }
        return read(text, folder);
    }

    private ConfigResult read(String text, Path folder) {
        Problems problems = new Problems();
        Json root = JsonReader.read(text, problems);
        if (root == null) {
            return new ConfigResult.Invalid(problems.sorted(), problems.omittedCount());
        }
        schema().check(root, problems);
        new MeaningCheck(root, problems).check();
        new PluginCheck(trial, problems).check(root);
        if (onThisMachine) {
            new LogFileCheck(folder, problems).check(root);
        }
        Map<Integer, ErrorPage> pages = new PageReader(folder, problems).read(root);
        Map<String, SecretKey> stickyKeys = new StickyKeyReader(folder, problems).read(root);
        if (!problems.isEmpty()) {
            return new ConfigResult.Invalid(problems.sorted(), problems.omittedCount());
        }
        SigmaConfig config = ConfigBuilder.build(root, new ConfigBuilder.Files(folder, pages, stickyKeys));
        return new ConfigResult.Valid(config, new WarningCheck().check(root), pointer -> place(root, pointer));
    }

    /** The JSON Schema (2020-12) of sigma.json with those of the plugins in it. */
    public String composedSchema() {
        return JsonText.of(schema().root());
    }

    private ConfigSchema schema() {
        ConfigSchema composed = schema;
        if (composed == null) {
            composed = new ConfigSchema(pluginSchemas);
            schema = composed;
        }
        return composed;
    }

    private static boolean startsWithMark(byte[] json) {
        for (int i = 0; i < BYTE_ORDER_MARK.length; i++) {
            if (json.length <= i || json[i] != BYTE_ORDER_MARK[i]) {
                return false;
            }
        }
        return true;
    }

    private static ConfigResult notUtf8(byte[] json, int start) {
        String before = Utf8.decodable(json, start);
        int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
        int column = before.length() - before.lastIndexOf('\n');
        return refused(line, column, "a byte that is not UTF-8", "a file in UTF-8");
    }

    private static ConfigResult refused(int line, int column, String found, String expected) {
        Problems problems = new Problems();
        problems.add(new Problem(new Place(line, column, ""), found, expected, null));
        return new ConfigResult.Invalid(problems.sorted(), 0);
    }

    private static Place place(Json root, String pointer) {
        Place found = root.at(pointer).place();
        return new Place(found.line(), found.column(), pointer);
    }
}
