package net.oooops.sigma.gates;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The walls: a file of 500 lines, a method of 70, five parameters (a record's constructor and methods that override excepted), and control
 * flow nested three deep. An {@code else if} is as deep as its {@code if}; a lambda is as deep as where it stands; a class starts anew.
 */
final class SizeRule {

    private static final int FILE_LINES_MAX = 500;
    private static final int METHOD_LINES_MAX = 70;
    private static final int PARAMETERS_MAX = 5;
    private static final int NESTING_MAX = 3;

    private SizeRule() {}

    static List<String> check(SourceFile file) {
        List<String> found = new ArrayList<>();
        long fileLines = file.text().lines().count();
        if (fileLines > FILE_LINES_MAX) {
            found.add(file.path() + ": lines of file: " + fileLines + " (expected: <= " + FILE_LINES_MAX + ")");
        }
        new TreePathScanner<Void, List<String>>() {
            @Override
            public Void visitMethod(MethodTree tree, List<String> found) {
                boolean inRecord = getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD;
                checkMethod(file, tree, inRecord, found);
                return super.visitMethod(tree, found);
            }
        }.scan(file.unit(), found);
        return found;
    }

    private static void checkMethod(SourceFile file, MethodTree tree, boolean inRecord, List<String> found) {
        int methodLines = file.lines(tree);
        if (methodLines > METHOD_LINES_MAX) {
            found.add(file.at(
                    tree,
                    "lines of " + tree.getName() + ": " + methodLines + " (expected: <= " + METHOD_LINES_MAX + ")"));
        }
        int parameters = tree.getParameters().size();
        boolean ofRecord = inRecord && tree.getReturnType() == null;
        if (parameters > PARAMETERS_MAX && !ofRecord && !NameRule.overrides(tree)) {
            found.add(file.at(
                    tree,
                    "parameters of " + tree.getName() + ": " + parameters + " (expected: <= " + PARAMETERS_MAX
                            + ", or a record)"));
        }
        int nesting = nesting(tree.getBody());
        if (nesting > NESTING_MAX) {
            found.add(file.at(
                    tree, "nesting in " + tree.getName() + ": " + nesting + " (expected: <= " + NESTING_MAX + ")"));
        }
    }

    private static int nesting(@Nullable BlockTree body) {
        var depth = new Depth();
        depth.scan(body, 0);
        return depth.deepest;
    }

    /** Walks one method's body and remembers the deepest control statement. */
    private static final class Depth extends TreeScanner<@Nullable Void, Integer> {
        private int deepest;

        @Override
        public @Nullable Void visitIf(IfTree tree, Integer depth) {
            scan(tree.getCondition(), depth);
            scan(tree.getThenStatement(), deeper(depth));
            boolean isElseIf = tree.getElseStatement() instanceof IfTree;
            return scan(tree.getElseStatement(), isElseIf ? depth : deeper(depth));
        }

        @Override
        public @Nullable Void visitForLoop(ForLoopTree tree, Integer depth) {
            return super.visitForLoop(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitEnhancedForLoop(EnhancedForLoopTree tree, Integer depth) {
            return super.visitEnhancedForLoop(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitWhileLoop(WhileLoopTree tree, Integer depth) {
            return super.visitWhileLoop(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitDoWhileLoop(DoWhileLoopTree tree, Integer depth) {
            return super.visitDoWhileLoop(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitSwitch(SwitchTree tree, Integer depth) {
            return super.visitSwitch(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitSwitchExpression(SwitchExpressionTree tree, Integer depth) {
            return super.visitSwitchExpression(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitTry(TryTree tree, Integer depth) {
            return super.visitTry(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitSynchronized(SynchronizedTree tree, Integer depth) {
            return super.visitSynchronized(tree, deeper(depth));
        }

        @Override
        public @Nullable Void visitClass(ClassTree tree, Integer depth) {
            return null;
        }

        private int deeper(int depth) {
            deepest = Math.max(deepest, depth + 1);
            return depth + 1;
        }
    }
}
