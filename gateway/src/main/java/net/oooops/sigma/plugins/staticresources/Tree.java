package net.oooops.sigma.plugins.staticresources;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;

/**
 * The folder whose files are given out. What is opened is what was judged, though somebody changes the folder meanwhile: links are resolved
 * first, and the path without links that this gives is then opened directory by directory, each below the one that is open, following none. What
 * is no regular file, such as a pipe, is never opened.
 *
 * <p>Called on threads that may wait. The folder's own path is looked at each time: it may be a link that a deployment changes.
 */
final class Tree {
    /** Which links are followed. */
    enum Links {
        /** None: what one leads to isn't there. */
        NONE,
        /** Those that stay in the folder. */
        INSIDE,
        /** All. */
        ANYWHERE
    }

    /** What a name stands for. */
    sealed interface Found {}

    /**
     * Nothing that may be given out.
     *
     * @param hidden whether there is something: a link that isn't followed, or what is no file
     */
    record Nothing(boolean hidden) implements Found {}

    /** A directory. */
    record Directory() implements Found {}

    /** A file, open; the receiver's to close. */
    record OpenFile(FileChannel channel, long bytes, long modifiedSeconds, int modifiedNanos) implements Found {}

    private static final Nothing NOTHING = new Nothing(false);
    private static final Nothing HIDDEN = new Nothing(true);
    private static final Directory DIRECTORY = new Directory();

    private static final int TRIES_MAX = 3;

    private final Path root;
    private final Links links;
    private final boolean dotFiles;

    /** @param dotFiles whether links may lead to names that begin with a dot */
    Tree(Path root, Links links, boolean dotFiles) {
        this.root = root;
        this.links = links;
        this.dotFiles = dotFiles;
    }

    /**
     * What {@code name} stands for.
     *
     * @param name relative, sound
     * @throws IOException where that can't be told, as without a descriptor left
     */
    Found find(String name) throws IOException {
        try {
            Path top = root.toRealPath();
            Path wanted = name.isEmpty() ? top : top.resolve(name);
            Path real = links == Links.NONE ? wanted : wanted.toRealPath();
            if (!dotFiles && !real.equals(wanted) && isDotted(top, real)) {
                return HIDDEN;
            }
            if (links == Links.ANYWHERE) {
                top = Objects.requireNonNull(real.getRoot(), "no root of a real path");
            } else if (!real.startsWith(top)) {
                return HIDDEN;
            }
            return real.equals(top) ? DIRECTORY : below(top, top.relativize(real));
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException | InvalidPathException e) {
            return NOTHING;
        } catch (FileSystemException e) {
            if (isOfTheName(e)) {
                return isOfALink(e) ? HIDDEN : NOTHING;
            }
            throw e;
        }
    }

    /**
     * Whether a link has led to a name with a dot at its beginning, beside those that the folder itself lies in, and those of the directories that
     * Kubernetes keeps the versions of a volume in.
     */
    private static boolean isDotted(Path top, Path real) {
        int common = 0;
        int most = Math.min(top.getNameCount(), real.getNameCount());
        while (common < most && top.getName(common).equals(real.getName(common))) {
            common++;
        }
        boolean inside = common == top.getNameCount();
        for (int i = common; i < real.getNameCount(); i++) {
            String segment = real.getName(i).toString();
            boolean wellKnown = inside && i == common && segment.equals(FileName.WELL_KNOWN);
            boolean version = i < real.getNameCount() - 1 && isVersion(segment);
            if (segment.startsWith(".") && !wellKnown && !version) {
                return true;
            }
        }
        return false;
    }

    /** Whether it is a name such as {@code ..2026_11_27_09_30_00.123}, which the link {@code ..data} leads to. */
    private static boolean isVersion(String directory) {
        return directory.startsWith("..") && directory.length() > 2;
    }

    /** The rest says something of the machine. */
    private static boolean isOfTheName(FileSystemException e) {
        String reason = e.getReason() == null ? "" : e.getReason();
        return reason.contains("name too long")
                || isOfALink(e)
                || reason.contains("ot a directory")
                || reason.contains("No such");
    }

    private static boolean isOfALink(FileSystemException e) {
        return e.getReason() != null && e.getReason().contains("symbolic link");
    }

    private static Found below(Path top, Path names) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(top)) {
            return stream instanceof SecureDirectoryStream<Path> secure ? walk(secure, names, 0) : plain(top, names);
        }
    }

    private static Found walk(SecureDirectoryStream<Path> directory, Path names, int index) throws IOException {
        Path name = names.getName(index);
        if (index == names.getNameCount() - 1) {
            return last(directory, name);
        }
        try (SecureDirectoryStream<Path> next = directory.newDirectoryStream(name, NOFOLLOW_LINKS)) {
            return walk(next, names, index + 1);
        }
    }

    private static Found last(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        BasicFileAttributeView view =
                directory.getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS);
        for (int i = 0; i < TRIES_MAX; i++) {
            BasicFileAttributes before = view.readAttributes();
            if (!before.isRegularFile()) {
                return before.isDirectory() ? DIRECTORY : HIDDEN;
            }
            FileChannel channel =
                    (FileChannel) directory.newByteChannel(name, Set.of(StandardOpenOption.READ, NOFOLLOW_LINKS));
            Found found = judged(channel, before, view.readAttributes());
            if (found != NOTHING) {
                return found;
            }
        }
        throw new IOException(name + " is replaced all the time");
    }

    /** Where the system can't open below an open directory. */
    private static Found plain(Path top, Path names) throws IOException {
        Path path = top.resolve(names);
        BasicFileAttributes before = Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS);
        if (!before.isRegularFile()) {
            return before.isDirectory() ? DIRECTORY : HIDDEN;
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, NOFOLLOW_LINKS);
        if (!path.toRealPath().equals(path)) {
            channel.close();
            return NOTHING;
        }
        return judged(channel, before, Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS));
    }

    /** That file, where the same one stood there before it was opened and after; else it is closed. */
    private static Found judged(FileChannel channel, BasicFileAttributes before, BasicFileAttributes after)
            throws IOException {
        if (!Objects.equals(before.fileKey(), after.fileKey())) {
            channel.close();
            return NOTHING;
        }
        Instant modified = after.lastModifiedTime().toInstant();
        return new OpenFile(channel, channel.size(), modified.getEpochSecond(), modified.getNano());
    }
}
