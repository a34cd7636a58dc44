package net.oooops.sigma.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Puts into words where and why text stops being JSON. */
final class SyntaxFault {

    private static final Pattern UNKNOWN_WORD = Pattern.compile("Unrecognized token '([^']*)'");
    private static final Pattern EXPECTING = Pattern.compile("expecting (?:either )?(.*)", Pattern.DOTALL);

    private final String text;
    private final String message;
    private final Json innermost;
    private final int offset;

    SyntaxFault(String text, JsonProcessingException e, Json innermost) {
        this.text = text;
        this.message = String.valueOf(e.getOriginalMessage());
        this.innermost = innermost;
        this.offset = offset(e);
    }

    /** Where the fault begins: Jackson's place is behind a word, escape or character that it does not know. */
    private int offset(JsonProcessingException e) {
        int at = e.getLocation() == null ? 0 : Math.clamp(e.getLocation().getCharOffset(), 0, text.length());
        Matcher word = UNKNOWN_WORD.matcher(message);
        if (word.find() && text.startsWith(word.group(1), at - word.group(1).length())) {
            return at - word.group(1).length();
        }
        char before = at > 0 ? text.charAt(at - 1) : 'x';
        boolean behind = (message.startsWith("Unrecognized character escape") && before == '\\')
                || (message.startsWith("Illegal character") && before < ' ')
                || (message.contains("for a comment") && before == '/')
                || (isLeadingZero() && before == '0');
        return behind ? at - 1 : at;
    }

    Problem problem() {
        if (isComment()) {
            return problem("a comment after #", "// or /* */");
        }
        if (commaBefore() >= 0) {
            return problem("a comma before " + text.charAt(offset), "no comma after the last entry");
        }
        if (offset >= text.length() || message.startsWith("Unexpected end-of-input")) {
            return problem("the end of the file", unfinished());
        }
        char c = text.charAt(offset);
        if (message.startsWith("Unexpected close marker")) {
            return problem(token(), message.contains("for root") ? "the end of the file" : unclosed());
        }
        if (message.startsWith("Illegal unquoted character")) {
            return problem(c == '\n' || c == '\r' ? "a line end" : control(c), "a \" at the end of the text before it");
        }
        if (c < ' ') {
            return problem(control(c), "only spaces and line ends around values");
        }
        return problem(token(), expected(c));
    }

    /**
     * The text with spaces where this fault is, for what makes sense otherwise: comments after #, and commas before a closing bracket.
     * Null for any other fault.
     */
    @Nullable String textWithout() {
        int from = isComment() ? offset : commaBefore();
        if (from < 0) {
            return null;
        }
        int end = isComment() ? lineEnd(from) : from + 1;
        StringBuilder without = new StringBuilder(text);
        for (int i = from; i < end; i++) {
            if (text.charAt(i) != '\n' && text.charAt(i) != '\r') {
                without.setCharAt(i, ' ');
            }
        }
        return without.toString();
    }

    private boolean isComment() {
        return text.startsWith("#", offset);
    }

    private boolean isLeadingZero() {
        return message.contains("eading zeroes");
    }

    private int lineEnd(int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? text.length() : end;
    }

    /** Where the comma before the closing bracket is, if that is the fault; otherwise -1. */
    private int commaBefore() {
        if (!text.startsWith("}", offset) && !text.startsWith("]", offset)) {
            return -1;
        }
        int before = lastBefore();
        return before >= 0 && text.charAt(before) == ',' ? before : -1;
    }

    /** The last character before the fault that is neither white space nor part of a comment; -1 where there is none. */
    private int lastBefore() {
        int last = -1;
        int at = 0;
        while (at < offset) {
            char c = text.charAt(at);
            if (c == '/') {
                at = commentEnd(at);
            } else if (c == '"') {
                last = at;
                at = quoteEnd(at);
            } else {
                last = Character.isWhitespace(c) ? last : at;
                at++;
            }
        }
        return last;
    }

    private int commentEnd(int from) {
        if (!text.startsWith("/*", from)) {
            return lineEnd(from);
        }
        int end = text.indexOf("*/", from + 2);
        return end < 0 ? text.length() : end + 2;
    }

    private int quoteEnd(int from) {
        int at = from + 1;
        while (at < text.length() && text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return at + 1;
    }

    private String expected(char c) {
        if (c == '\'') {
            return "\" around names and texts";
        }
        if (c == '\\') {
            return "\\\\ for the character \\ itself";
        }
        if (isLeadingZero()) {
            return "a number without leading zeros";
        }
        if (message.contains("valid value") || message.startsWith("Unrecognized token")) {
            return "a value: an object, an array, a text in \", a number, true, false or null";
        }
        Matcher expecting = EXPECTING.matcher(message);
        if (!expecting.find()) {
            return "JSON: " + message;
        }
        return switch (expecting.group(1)) {
            case "double-quote to start field name" -> "a key in \"";
            case "a colon to separate field name and value" -> "a colon between key and value";
            case "comma to separate Object entries" -> "a comma or }";
            case "comma to separate Array entries" -> "a comma or ]";
            case "'*' or '/' for a comment" -> "// or /* before a comment";
            default -> expecting.group(1);
        };
    }

    private String unfinished() {
        if (message.contains("comment")) {
            return "*/ at the end of the comment before it";
        }
        if (message.contains("quote") || message.contains("field name") || message.contains("escape")) {
            return "a \" at the end of the text before it";
        }
        return unclosed();
    }

    private String unclosed() {
        String what = innermost.kind() == Json.Kind.ARRAY ? "] for the array" : "} for the object";
        Place place = innermost.place();
        return what + " that begins at " + place.line() + ":" + place.column();
    }

    private static String control(char c) {
        return String.format("the control character \\u%04x", (int) c);
    }

    /** What stands at the fault: a text, a word, or one character. */
    private String token() {
        int quote = text.startsWith("\"", offset) ? text.indexOf('"', offset + 1) : -1;
        if (quote >= 0) {
            return Json.quoted(text.substring(offset + 1, quote));
        }
        int end = text.startsWith("\\", offset) ? offset + 1 : offset;
        while (end < text.length()
                && (Character.isLetterOrDigit(text.charAt(end)) || "-_".indexOf(text.charAt(end)) >= 0)) {
            end++;
        }
        int one = offset + Character.charCount(text.codePointAt(offset));
        String quoted = Json.quoted(text.substring(offset, Math.max(end, one)));
        return quoted.substring(1, quoted.length() - 1);
    }

    private Problem problem(String found, String expected) {
        int lineStart = text.lastIndexOf('\n', offset - 1) + 1;
        int line = (int) text.substring(0, lineStart)
                        .chars()
                        .filter(c -> c == '\n')
                        .count()
                + 1;
        return new Problem(
                new Place(innermost.source().name(), line, offset - lineStart + 1, innermost.pointer()),
                found,
                expected,
                null);
    }
}
