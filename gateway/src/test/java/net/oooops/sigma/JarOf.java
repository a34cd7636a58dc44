package net.oooops.sigma;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import net.oooops.sigma.api.PluginFactory;

/** A jar as others build it: from sources, and what else is in it. */
public final class JarOf {
    private final Map<String, byte[]> entries = new LinkedHashMap<>();
    private final List<String> sources = new ArrayList<>();
    private final List<String> options = new ArrayList<>(List.of("-proc:none", "-nowarn"));
    private final List<Path> classPath = new ArrayList<>();

    /** A source text whose type is named in it as {@code class}, {@code interface} or {@code record}, the first of all. */
    public JarOf source(String source) {
        sources.add(source);
        return this;
    }

    /** Has the compiler see that before all else. */
    public JarOf seeing(Path classes) {
        classPath.add(classes);
        return this;
    }

    public JarOf entry(String name, String text) {
        entries.put(name, text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public JarOf entry(String name, byte[] bytes) {
        entries.put(name, bytes);
        return this;
    }

    /** Names its factories. */
    public JarOf factories(String... names) {
        return entry("META-INF/services/" + PluginFactory.class.getName(), String.join("\n", names) + "\n");
    }

    /** Writes it beside its place, then moves it there, as one should. */
    public Path write(Path to) {
        try {
            Path compiled = Files.createTempDirectory("jar-of");
            Path classes = classes(compiled);
            Path whole = Files.createTempFile(to.toAbsolutePath().getParent(), ".jar-of", "");
            try (OutputStream out = Files.newOutputStream(whole);
                    JarOutputStream jar = new JarOutputStream(out)) {
                for (Path each : files(classes)) {
                    put(jar, classes.relativize(each).toString(), Files.readAllBytes(each));
                }
                for (Map.Entry<String, byte[]> each : entries.entrySet()) {
                    put(jar, each.getKey(), each.getValue());
                }
            }
            delete(compiled);
            Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("rw-r--r--"));
            return Files.move(whole, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compiles it into that folder. */
    public Path classes(Path folder) {
        if (sources.isEmpty()) {
            return folder;
        }
        List<String> all = new ArrayList<>(options);
        String own = System.getProperty("java.class.path");
        List<String> seen =
                new ArrayList<>(classPath.stream().map(Path::toString).toList());
        Collections.addAll(seen, own.split(File.pathSeparator));
        all.addAll(List.of("-d", folder.toString(), "-cp", String.join(File.pathSeparator, seen)));
        StringWriter said = new StringWriter();
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        said,
                        null,
                        null,
                        all,
                        null,
                        sources.stream().map(Source::new).toList())
                .call();
        if (!compiled) {
            throw new AssertionError(said.toString());
        }
        return folder;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void put(JarOutputStream jar, String name, byte[] bytes) throws IOException {
        jar.putNextEntry(new JarEntry(name));
        jar.write(bytes);
        jar.closeEntry();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///" + path(text)), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        private static String path(String text) {
            String of =
                    text.replaceFirst("(?s).*?package ([a-z.0-9]+);.*", "$1").replace('.', '/');
            String type = text.replaceFirst("(?s).*?\\b(?:class|interface|record) (\\w+).*", "$1");
            return of + "/" + type + ".java";
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
