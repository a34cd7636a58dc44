package net.oooops.sigma.plugin.jars;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.security.CodeSource;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.ProtectionDomain;
import java.util.HexFormat;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A jar as it was when it was opened, whatever becomes of its file: classes are read from it for as long as its plugins run, and a file that somebody writes anew
 * meanwhile would give garbage. It is a copy in the folder for temporary files, whose name is taken away as soon as it is open: nothing is left behind, however
 * the process ends. The JDK closes it with the last object that came from it.
 *
 * <p>Any thread.
 */
final class PrivateJar implements Closeable {
    private static final String SCHEME = "sigma-plugin";
    /** It is copied. */
    private static final long JAR_BYTES_MAX = 512L << 20;
    /** Of one class, when it is unpacked. */
    private static final int ENTRY_BYTES_MAX = 16 << 20;

    private final Path file;
    private final JarFile jar;
    private final String hash;
    private final @Nullable Manifest manifest;
    private final ProtectionDomain domain;

    private PrivateJar(Path file, JarFile jar, String hash) throws IOException {
        this.file = file;
        this.jar = jar;
        this.hash = hash;
        this.manifest = jar.getManifest();
        CodeSource source = new CodeSource(file.toUri().toURL(), (CodeSigner[]) null);
        this.domain = new ProtectionDomain(source, null);
    }

    /** @throws IOException where it is no jar, can't be copied, or changes meanwhile */
    static PrivateJar open(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // Who opens a pipe waits for whoever writes to it, and a device may have no end.
            throw new IOException("a pipe, a socket or a device");
        }
        if (Files.size(file) > JAR_BYTES_MAX) {
            throw new IOException("it has " + Files.size(file) + " bytes, and " + JAR_BYTES_MAX + " are the most");
        }
        Path copy = copyFor(file);
        try {
            Stamp before = Stamp.of(file);
            String hash = copy(file, copy);
            if (!Stamp.of(file).equals(before)) {
                throw new IOException("it changes while it is read");
            }
            JarFile jar = new JarFile(copy.toFile(), true, ZipFile.OPEN_READ, JarFile.runtimeVersion());
            try {
                return new PrivateJar(file, jar, hash);
            } catch (IOException | RuntimeException e) {
                jar.close();
                throw e;
            }
        } finally {
            if (!copy.toFile().delete()) {
                // Where an open file keeps its name.
                copy.toFile().deleteOnExit();
            }
        }
    }

    private static Path copyFor(Path file) throws IOException {
        try {
            // Only this user may read or write it.
            return Files.createTempFile("sigma-plugin-", ".jar");
        } catch (IOException e) {
            throw new IOException(
                    "a copy of " + file.getFileName() + " can't be made in " + System.getProperty("java.io.tmpdir")
                            + ", where -Djava.io.tmpdir has it made: " + e,
                    e);
        }
    }

    private static String copy(Path file, Path copy) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        try (InputStream in = Files.newInputStream(file);
                OutputStream out = new DigestOutputStream(Files.newOutputStream(copy), digest)) {
            in.transferTo(out);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The SHA-256 of its bytes, in hexadecimal digits. */
    String hash() {
        return hash;
    }

    JarFile jar() {
        return jar;
    }

    /** What its classes are of. */
    ProtectionDomain domain() {
        return domain;
    }

    /** What its manifest says of itself as a whole; null where it says nothing. */
    @Nullable String attribute(Attributes.Name name) {
        return manifest == null ? null : manifest.getMainAttributes().getValue(name);
    }

    @Nullable JarEntry entry(String name) {
        return jar.getJarEntry(name);
    }

    byte[] bytes(JarEntry entry) throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(ENTRY_BYTES_MAX + 1);
            if (bytes.length > ENTRY_BYTES_MAX) {
                throw new IOException(entry.getName() + " has more than " + ENTRY_BYTES_MAX + " bytes");
            }
            return bytes;
        }
    }

    /** The address of something in it, which only who has got it can open. */
    URL url(JarEntry entry) {
        try {
            URI uri = new URI(SCHEME, null, "/" + file.getFileName() + "!/" + entry.getName(), null);
            return URL.of(uri, new Opening());
        } catch (URISyntaxException | MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        jar.close();
    }

    /** Opens what its addresses lead to, also those that are relative to them. */
    private final class Opening extends URLStreamHandler {
        @Override
        protected URLConnection openConnection(URL url) throws IOException {
            String path = URI.create(url.toString()).getPath();
            String name = path.substring(path.indexOf("!/") + 2);
            JarEntry entry = entry(name);
            if (entry == null) {
                throw new FileNotFoundException(url.toString());
            }
            return new Connection(url, entry);
        }
    }

    private final class Connection extends URLConnection {
        private final JarEntry entry;

        Connection(URL url, JarEntry entry) {
            super(url);
            this.entry = entry;
        }

        @Override
        public void connect() {
            // It is open.
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return jar.getInputStream(entry);
        }

        @Override
        public long getContentLengthLong() {
            return entry.getSize();
        }

        @Override
        public long getLastModified() {
            return Math.max(0, entry.getTime());
        }
    }
}
