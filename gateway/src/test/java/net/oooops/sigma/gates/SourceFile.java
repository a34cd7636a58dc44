package net.oooops.sigma.gates;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * One Java file, read and parsed, not attributed: rules on it see names and shapes, not types.
 *
 * @param path the file relative to the checkout, with {@code /}
 */
record SourceFile(String path, String text, CompilationUnitTree unit, SourcePositions positions) {

    private static final List<String> ROOTS = List.of("api", "testkit", "gateway", "interop", "lab", "examples");

    /** Every Java file of every module, main and test. */
    static List<SourceFile> all() {
        Path checkout = checkout();
        return parse(ROOTS.stream()
                .map(checkout::resolve)
                .filter(Files::isDirectory)
                .flatMap(SourceFile::javaFiles)
                .map(file -> new Text(relative(checkout, file), read(file)))
                .toList());
    }

    /** The folder that holds every module, wherever the test run was started from. */
    static Path checkout() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.exists(dir.resolve("gateway/pom.xml"))) {
                return dir;
            }
        }
        throw new IllegalStateException(
                "folder of the tests: " + Path.of("").toAbsolutePath() + " (expected: inside a checkout of Sigma)");
    }

    static SourceFile parse(String path, String text) {
        return parse(List.of(new Text(path, text))).getFirst();
    }

    /** All by one compiler: it takes longer to start than to read one file. */
    private static List<SourceFile> parse(List<Text> texts) {
        JavaCompiler javac =
                Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "tests need a JDK, not a JRE");
        var task = (JavacTask) javac.getTask(null, null, null, List.of("-proc:none"), null, texts);
        List<SourceFile> files = new ArrayList<>();
        try {
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            Iterator<Text> inOrder = texts.iterator();
            for (CompilationUnitTree unit : task.parse()) {
                Text of = inOrder.next();
                files.add(new SourceFile(of.path, of.text, unit, positions));
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JavaFileObject inMemory(String path, String text) {
        return new Text(path, text);
    }

    /** A file as the compiler reads it. */
    private static final class Text extends SimpleJavaFileObject {
        private final String path;
        private final String text;

        Text(String path, String text) {
            super(URI.create("string:///" + path), JavaFileObject.Kind.SOURCE);
            this.path = path;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    String packageName() {
        return unit.getPackageName() == null ? "" : unit.getPackageName().toString();
    }

    /** Where the file's first type belongs, below a source folder. */
    String typePath() {
        var type = (ClassTree) unit.getTypeDecls().getFirst();
        return packageName().replace('.', '/') + "/" + type.getSimpleName() + ".java";
    }

    boolean isTest() {
        return path.contains("/src/test/");
    }

    /** "path:line: what" of a violation. */
    String at(Tree tree, String what) {
        return path + ":" + line(positions.getStartPosition(unit, tree)) + ": " + what;
    }

    int lines(Tree tree) {
        return line(positions.getEndPosition(unit, tree)) - line(positions.getStartPosition(unit, tree)) + 1;
    }

    private int line(long position) {
        LineMap map = unit.getLineMap();
        return Math.toIntExact(map.getLineNumber(position));
    }

    private static Stream<Path> javaFiles(Path root) {
        try (Stream<Path> walk = Files.walk(root)) {
            return walk
                    .filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !relative(root, file).contains("target/"))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(root.toString(), e);
        }
    }

    private static String relative(Path root, Path file) {
        return root.relativize(file).toString().replace('\\', '/');
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
