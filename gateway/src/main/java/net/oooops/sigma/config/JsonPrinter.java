package net.oooops.sigma.config;

import java.util.List;
import net.oooops.sigma.config.JsonLayout.Comment;
import net.oooops.sigma.config.JsonLayout.Container;
import net.oooops.sigma.config.JsonLayout.Entry;
import net.oooops.sigma.config.JsonLayout.Item;
import net.oooops.sigma.config.JsonLayout.Scalar;
import net.oooops.sigma.config.JsonLayout.Value;

/**
 * Writes a {@link JsonLayout}: two spaces for each level; what was on one line stays on one where it fits, all else has a line for each entry.
 * Comments stay between the entries where they were; those behind an entry stay on its line.
 */
final class JsonPrinter {

    /** The widest line that an object or array is written on whole. */
    static final int COLUMNS_MAX = 120;

    private static final String INDENT = "  ";
    private static final String SPACES = " \t";

    private final StringBuilder out = new StringBuilder();

    private JsonPrinter() {}

    /** The text of a file. */
    static String print(List<Item> items) {
        JsonPrinter printer = new JsonPrinter();
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                printer.before(items, i, 0);
            }
            printer.item(items, i, 0);
        }
        return printer.out.append('\n').toString();
    }

    /** Goes to where an item begins. */
    private void before(List<Item> items, int i, int depth) {
        if (isOnLineOfLast(items, i)) {
            out.append(' ');
            return;
        }
        if (items.get(i).blank() && i > 0) {
            out.append('\n');
        }
        line(depth);
    }

    private void line(int depth) {
        out.append('\n').repeat(INDENT, depth);
    }

    /** Whether an item stays on the line of the one before, or of the bracket that opens. */
    private static boolean isOnLineOfLast(List<Item> items, int i) {
        if (items.get(i).newLine()) {
            return false;
        }
        boolean behindComment = i > 0 && items.get(i - 1) instanceof Comment;
        return behindComment || (items.get(i) instanceof Comment && !leads(items, i));
    }

    /** Whether a comment stands before an entry on the same line. */
    private static boolean leads(List<Item> items, int i) {
        for (int next = i; next < items.size(); next++) {
            Item item = items.get(next);
            if (next > i && item.newLine()) {
                return false;
            }
            if (!(item instanceof Comment comment)) {
                return true;
            }
            if (comment.toLineEnd()) {
                return false;
            }
        }
        return false;
    }

    private void item(List<Item> items, int i, int depth) {
        switch (items.get(i)) {
            case Comment comment -> comment(comment, depth);
            case Entry entry -> entry(entry, depth, isFollowed(items, i));
        }
    }

    private static boolean isFollowed(List<Item> items, int i) {
        for (int next = i + 1; next < items.size(); next++) {
            if (items.get(next) instanceof Entry) {
                return true;
            }
        }
        return false;
    }

    private void entry(Entry entry, int depth, boolean followed) {
        int inner = depth;
        if (entry.key() != null) {
            out.append(entry.key()).append(':');
            for (Comment comment : entry.before()) {
                behind(comment, inner, depth + 1);
                inner = comment.toLineEnd() ? depth + 1 : inner;
            }
            boolean ended =
                    !entry.before().isEmpty() && entry.before().getLast().toLineEnd();
            if (ended) {
                line(inner);
            } else {
                out.append(' ');
            }
        }
        String rest = after(entry) + (followed ? "," : "");
        value(entry.value(), inner, rest.length());
        out.append(rest);
    }

    /** A comment between key and value: behind what is there, or below where that goes to the line's end. */
    private void behind(Comment comment, int depth, int below) {
        if (depth == below) {
            line(below);
        } else {
            out.append(' ');
        }
        comment(comment, depth);
    }

    private void value(Value value, int depth, int rest) {
        switch (value) {
            case Scalar scalar -> out.append(scalar.text());
            case Container container -> container(container, depth, rest);
        }
    }

    private void container(Container container, int depth, int rest) {
        List<Item> items = container.items();
        if (items.isEmpty() || container.oneLine()) {
            String whole = inline(container);
            int column = out.length() - out.lastIndexOf("\n") - 1;
            String line = out.substring(out.length() - column) + whole;
            if (items.isEmpty() || line.codePointCount(0, line.length()) + rest <= COLUMNS_MAX) {
                out.append(whole);
                return;
            }
        }
        out.append(container.open());
        for (int i = 0; i < items.size(); i++) {
            before(items, i, depth + 1);
            item(items, i, depth + 1);
        }
        line(depth);
        out.append(container.close());
    }

    /** On one line, however long that is. Nothing in it had a line end. */
    private static String inline(Container container) {
        StringBuilder text = new StringBuilder().append(container.open());
        List<Item> items = container.items();
        boolean spaced = container.open() == '{' && !items.isEmpty();
        for (int i = 0; i < items.size(); i++) {
            text.append(i > 0 || spaced ? " " : "");
            switch (items.get(i)) {
                case Comment comment -> text.append(comment.text());
                case Entry entry -> text.append(inline(entry)).append(isFollowed(items, i) ? "," : "");
            }
        }
        return text.append(spaced ? " " : "").append(container.close()).toString();
    }

    private static String inline(Entry entry) {
        StringBuilder text = new StringBuilder();
        if (entry.key() != null) {
            text.append(entry.key()).append(": ");
            entry.before().forEach(comment -> text.append(comment.text()).append(' '));
        }
        switch (entry.value()) {
            case Scalar scalar -> text.append(scalar.text());
            case Container container -> text.append(inline(container));
        }
        return text.append(after(entry)).toString();
    }

    private static String after(Entry entry) {
        StringBuilder text = new StringBuilder();
        entry.after().forEach(comment -> text.append(' ').append(comment.text()));
        return text.toString();
    }

    /** A comment, its lines in line where all of them begin with a star. */
    private void comment(Comment comment, int depth) {
        String[] lines = comment.text().split("\r\n|\r|\n", -1);
        boolean starred = true;
        for (int i = 1; i < lines.length; i++) {
            starred &= lines[i].startsWith("*", spacesOf(lines[i]));
        }
        for (int i = 0; i < lines.length; i++) {
            boolean moved = i > 0 && starred;
            if (i > 0) {
                out.append('\n').append(moved ? INDENT.repeat(depth) + " " : "");
            }
            out.append(lines[i], moved ? spacesOf(lines[i]) : 0, endOf(lines[i]));
        }
    }

    /** How many spaces and tabs a line begins with. */
    private static int spacesOf(String line) {
        int count = 0;
        while (count < line.length() && SPACES.indexOf(line.charAt(count)) >= 0) {
            count++;
        }
        return count;
    }

    /** Where a line ends without the spaces and tabs at its end. */
    private static int endOf(String line) {
        int end = line.length();
        while (end > 0 && SPACES.indexOf(line.charAt(end - 1)) >= 0) {
            end--;
        }
        return end;
    }
}
