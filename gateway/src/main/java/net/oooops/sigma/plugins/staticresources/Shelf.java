package net.oooops.sigma.plugins.staticresources;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.plugins.staticresources.Tree.OpenFile;
import org.jspecify.annotations.Nullable;

/** Looks at the folder: which file a path leads to, and what is to be said of it. Called on threads that may wait. */
final class Shelf {
    static final Kept.Missing MISSING = new Kept.Missing(false);
    static final Kept.Missing HIDDEN = new Kept.Missing(true);
    private static final Kept REDIRECT = new Kept.Redirect();

    private final Tree tree;
    private final Rules rules;

    Shelf(Tree tree, Rules rules) {
        this.tree = tree;
        this.rules = rules;
    }

    /**
     * What a path leads to: files that it holds open are the receiver's to let go.
     *
     * @param name below the folder
     * @param slash whether the path ends with one
     */
    Kept look(String name, boolean slash) throws IOException {
        Tree.Found found = tree.find(name);
        return switch (found) {
            case OpenFile open -> {
                if (slash) {
                    open.channel().close();
                    yield MISSING;
                }
                yield files(name, open, false);
            }
            case Tree.Directory _ -> slash ? index(name) : REDIRECT;
            case Tree.Nothing nothing -> nothing.hidden() ? HIDDEN : MISSING;
        };
    }

    /** The file that is the answer where nothing is found, for who accepts its type; the receiver's to let go. */
    Kept fallback(String name) throws IOException {
        OpenFile open = file(name);
        return open == null ? MISSING : files(name, open, true);
    }

    private Kept index(String directory) throws IOException {
        for (String index : rules.index()) {
            String name = directory.isEmpty() ? index : directory + "/" + index;
            OpenFile open = file(name);
            if (open != null) {
                return files(name, open, false);
            }
        }
        return MISSING;
    }

    /** That file, the receiver's to close; null where there is none. */
    private @Nullable OpenFile file(String name) throws IOException {
        return tree.find(name) instanceof OpenFile open ? open : null;
    }

    private Kept files(String name, OpenFile open, boolean fallback) throws IOException {
        List<ServedFile> coded = new ArrayList<>();
        try {
            for (Rules.Coding coding : rules.codings()) {
                OpenFile beside = file(name + coding.suffix());
                if (beside != null) {
                    coded.add(served(kind(name, coding.name(), ServedFile.vary(true, fallback)), beside));
                }
            }
        } catch (IOException | RuntimeException e) {
            coded.forEach(ServedFile::release);
            open.channel().close();
            throw e;
        }
        try {
            Field vary = ServedFile.vary(!coded.isEmpty(), fallback);
            return new Kept.Files(served(kind(name, "", vary), open), coded);
        } catch (IOException | RuntimeException e) {
            coded.forEach(ServedFile::release);
            throw e;
        }
    }

    private ServedFile.Kind kind(String name, String coding, @Nullable Field vary) {
        return new ServedFile.Kind(coding, rules.types().of(name), rules.cacheControlOf(name), vary);
    }

    /** What is small is read, and closed. All else stays open. */
    private ServedFile served(ServedFile.Kind kind, OpenFile open) throws IOException {
        if (open.bytes() > rules.smallBytesMax()) {
            return new ServedFile(kind, open);
        }
        try (FileChannel channel = open.channel()) {
            return new ServedFile(kind, open, read(channel, (int) open.bytes()));
        }
    }

    private static byte[] read(FileChannel channel, int bytes) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(bytes);
        while (content.hasRemaining()) {
            if (channel.read(content, content.position()) < 0) {
                throw new EOFException("a file that became shorter while it was read");
            }
        }
        return content.array();
    }
}
