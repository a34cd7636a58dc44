package net.oooops.sigma.gates;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Names that say nothing about what a thing is, or that belong to a word Sigma has another word for, are not parts of the names that Sigma
 * declares: packages, types, methods, fields (record components and enum constants with them). Parts are what camel case or an underscore
 * separates, in singular or plural; digits stay with their word, so that base64 is not base.
 *
 * <p>Not looked at: locals and parameters; methods that override, whose name another has chosen; and what {@link #ALLOWED} lists.
 */
final class NameRule {

    private static final Set<String> BANNED =
            Set.of("service", "backend", "origin", "manager", "helper", "util", "impl", "base", "info", "data");

    /** A banned word where it is the right one, and why. */
    record Allowed(String part, String pathPart, String reason) {}

    static final List<Allowed> ALLOWED = List.of(
            new Allowed(
                    "origin", "/plugins/cors/", "Origin is the header field that the Fetch standard builds CORS on"),
            new Allowed("origin", "/plugins/csrf/", "it reads that same header field"),
            new Allowed("origin", "/proxy/Preflight.java", "it reads that same header field"),
            new Allowed("data", "/http2/", "DATA is the name of a frame (RFC 9113 section 6.1)"));

    private NameRule() {}

    static List<String> check(SourceFile file) {
        List<String> found = new ArrayList<>();
        for (String part : file.packageName().split("\\.", -1)) {
            report(file, file.unit(), "package", part, found);
        }
        new TreePathScanner<Void, List<String>>() {
            @Override
            public Void visitClass(ClassTree tree, List<String> found) {
                report(file, tree, "type", tree.getSimpleName().toString(), found);
                return super.visitClass(tree, found);
            }

            @Override
            public Void visitMethod(MethodTree tree, List<String> found) {
                if (!overrides(tree)) {
                    report(file, tree, "method", tree.getName().toString(), found);
                }
                return super.visitMethod(tree, found);
            }

            @Override
            public Void visitVariable(VariableTree tree, List<String> found) {
                if (isField(getCurrentPath())) {
                    report(file, tree, "field", tree.getName().toString(), found);
                }
                return super.visitVariable(tree, found);
            }
        }.scan(file.unit(), found);
        return found;
    }

    static boolean overrides(MethodTree tree) {
        return tree.getModifiers().getAnnotations().stream()
                .anyMatch(
                        annotation -> annotation.getAnnotationType().toString().equals("Override"));
    }

    private static boolean isField(TreePath path) {
        return path.getParentPath().getLeaf() instanceof ClassTree;
    }

    private static void report(SourceFile file, Tree tree, String kind, String name, List<String> found) {
        parts(name)
                .filter(BANNED::contains)
                .filter(part -> !allowed(part, file.path()))
                .forEach(part ->
                        found.add(file.at(tree, kind + " name: " + name + " (expected: no part \"" + part + "\")")));
    }

    private static boolean allowed(String part, String path) {
        return ALLOWED.stream().anyMatch(entry -> entry.part().equals(part) && path.contains(entry.pathPart()));
    }

    private static Stream<String> parts(String name) {
        return Arrays.stream(name.split("_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", -1))
                .map(part -> part.toLowerCase(Locale.ROOT))
                .map(part -> part.endsWith("s") ? part.substring(0, part.length() - 1) : part);
    }
}
