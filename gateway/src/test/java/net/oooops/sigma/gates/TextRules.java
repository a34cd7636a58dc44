package net.oooops.sigma.gates;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;

/** Rules on one file or on all files together that need neither types nor sizes. */
final class TextRules {

    // Written in two halves, so that this file passes its own rule.
    private static final Pattern OPEN_WORK = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern ISSUE_LINK = Pattern.compile("https?://\\S+/issues/\\d+");

    private static final Pattern OF_THE_PROCESS =
            Pattern.compile("\\b(DirectMemory\\.watched|new LoggedLines|new ListAppender)\\b");

    private static final Set<String> ASYNC = Set.of("runAsync", "supplyAsync");

    private TextRules() {}

    /** Work left open is written down where it can be found: the line links to an issue. */
    static List<String> openWork(SourceFile file) {
        List<String> found = new ArrayList<>();
        List<String> lines = file.text().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (OPEN_WORK.matcher(lines.get(i)).find()
                    && !ISSUE_LINK.matcher(lines.get(i)).find()) {
                found.add(
                        file.path() + ":" + (i + 1) + ": " + lines.get(i).strip() + " (expected: a link to an issue)");
            }
        }
        return found;
    }

    /** Nothing in the data plane takes a monitor: one event loop owns what it touches. */
    static List<String> monitors(SourceFile file) {
        List<String> found = new ArrayList<>();
        if (file.isTest() || !Layout.isOnRoad(file.packageName())) {
            return found;
        }
        new TreeScanner<Void, List<String>>() {
            @Override
            public Void visitSynchronized(SynchronizedTree tree, List<String> found) {
                found.add(file.at(tree, "synchronized block (expected: none in the data plane)"));
                return super.visitSynchronized(tree, found);
            }

            @Override
            public Void visitMethod(MethodTree tree, List<String> found) {
                if (tree.getModifiers().getFlags().contains(Modifier.SYNCHRONIZED)) {
                    found.add(file.at(
                            tree, "synchronized method " + tree.getName() + " (expected: none in the data plane)"));
                }
                return super.visitMethod(tree, found);
            }
        }.scan(file.unit(), found);
        return found;
    }

    /** A test awaits a condition, or moves the clock: {@code sleep} of whatever type is not called. */
    static List<String> sleeps(SourceFile file) {
        List<String> found = new ArrayList<>();
        if (!file.isTest()) {
            return found;
        }
        new TreeScanner<Void, List<String>>() {
            @Override
            public Void visitMemberSelect(MemberSelectTree tree, List<String> found) {
                if (tree.getIdentifier().contentEquals("sleep")) {
                    found.add(file.at(tree, tree + " (expected: a condition awaited, or the manual clock)"));
                }
                return super.visitMemberSelect(tree, found);
            }
        }.scan(file.unit(), found);
        return found;
    }

    /**
     * What a test has run beside it has a thread of its own. In the common pool, which has one thread where there are two processors, it would
     * wait for what other tests do there.
     */
    static List<String> sharedThreads(SourceFile file) {
        List<String> found = new ArrayList<>();
        if (!file.isTest()) {
            return found;
        }
        new TreeScanner<Void, List<String>>() {
            @Override
            public Void visitMethodInvocation(MethodInvocationTree tree, List<String> found) {
                boolean async = tree.getMethodSelect() instanceof MemberSelectTree called
                        && ASYNC.contains(called.getIdentifier().toString());
                if (async && tree.getArguments().size() == 1) {
                    found.add(
                            file.at(tree, tree.getMethodSelect() + " (expected: Thread::startVirtualThread besides)"));
                }
                return super.visitMethodInvocation(tree, found);
            }
        }.scan(file.unit(), found);
        return found;
    }

    /** What is counted for a whole process is looked at by a test class that runs alone. */
    static List<String> company(SourceFile file) {
        boolean looks = file.isTest()
                && file.path().endsWith("Test.java")
                && OF_THE_PROCESS.matcher(file.text()).find();
        return looks && !file.text().contains("\n@Isolated(")
                ? List.of(file.path() + ": looks at what the whole process counts or says (expected: @Isolated)")
                : List.of();
    }

    /** Nothing depends on the lab. */
    static List<String> labImports(SourceFile file) {
        if (file.path().startsWith("lab/")) {
            return List.of();
        }
        return file.unit().getImports().stream()
                .filter(tree -> tree.getQualifiedIdentifier().toString().startsWith("net.oooops.sigma.lab."))
                .map(tree -> file.at(tree, "import of the lab (expected: none outside it)"))
                .toList();
    }

    /** Every package says, once, what it is for: a package-info with a comment and {@code @NullMarked}. */
    static List<String> packagePages(List<SourceFile> files) {
        List<String> found = new ArrayList<>();
        Set<String> described = new HashSet<>();
        for (SourceFile file : files) {
            if (file.path().endsWith("/package-info.java")) {
                described.add(file.packageName());
                boolean speaks = file.text().startsWith("/**") && file.text().contains("@NullMarked\npackage ");
                if (!speaks) {
                    found.add(file.path() + ": package-info (expected: a comment, then @NullMarked)");
                }
            }
        }
        files.stream()
                .filter(file -> !described.contains(file.packageName()) && !isScript(file))
                .map(SourceFile::packageName)
                .distinct()
                .forEach(name -> found.add(name + ": package without package-info.java"));
        return found;
    }

    /** A file without a package is run by itself, as {@code java File.java}. */
    private static boolean isScript(SourceFile file) {
        return file.packageName().isEmpty()
                && file.unit().getTypeDecls().stream().anyMatch(ClassTree.class::isInstance);
    }
}
