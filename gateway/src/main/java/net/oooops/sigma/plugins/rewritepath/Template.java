package net.oooops.sigma.plugins.rewritepath;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;

/**
 * A replacement, read once: text, group, text, group, …, text, in the notation of {@link Matcher#appendReplacement}. Its texts
 * hold path characters only, so that a result can only be wrong by what the groups found.
 */
final class Template {
    private final List<String> texts = new ArrayList<>();
    private final List<Integer> groups = new ArrayList<>();

    private Template() {}

    /** The template that {@code replacement} writes for {@code pattern}. */
    static Template of(Settings replacement, Pattern pattern) {
        Template template = new Reader(replacement, pattern).read();
        for (String text : template.texts) {
            if (!PathForm.isWritten(text)) {
                throw replacement.unexpected(
                        "path characters, RFC 3986 section 3.3, others percent-encoded; \"" + text + "\" holds others");
            }
            if (PathForm.hasDotSegmentInside(text)) {
                throw replacement.unexpected("a path without dot segments");
            }
        }
        return template;
    }

    /** Whether the result is {@link #head} and then, if there is a group, what group 1 found. */
    boolean isPrefixOf(boolean group) {
        return group ? groups.equals(List.of(1)) && texts.getLast().isEmpty() : groups.isEmpty();
    }

    /** The text before the first group. */
    String head() {
        return texts.getFirst();
    }

    /** The path with the match replaced. */
    String expand(BarePath seen, Matcher match) {
        String path = seen.path();
        StringBuilder result = new StringBuilder(path.length() + 32).append(path, 0, seen.place(match.start()));
        for (int i = 0; i < groups.size(); i++) {
            result.append(texts.get(i));
            int group = groups.get(i);
            if (match.start(group) >= 0) {
                result.append(path, seen.place(match.start(group)), seen.place(match.end(group)));
            }
        }
        return result.append(texts.getLast())
                .append(path, seen.place(match.end()), path.length())
                .toString();
    }

    /** Reads the notation; for one replacement. */
    private static final class Reader {
        private final Settings setting;
        private final String text;
        private final Pattern pattern;
        private final int groupCount;
        private final Template template = new Template();
        private final StringBuilder current = new StringBuilder();
        private int at;

        Reader(Settings setting, Pattern pattern) {
            this.setting = setting;
            this.text = setting.string();
            this.pattern = pattern;
            this.groupCount = pattern.matcher("").groupCount();
        }

        Template read() {
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '\\') {
                    current.append(next("a character after \\"));
                } else if (c == '$') {
                    template.texts.add(current.toString());
                    current.setLength(0);
                    template.groups.add(group());
                } else {
                    current.append(c);
                }
            }
            template.texts.add(current.toString());
            return template;
        }

        private char next(String expected) {
            if (at == text.length()) {
                throw setting.unexpected(expected);
            }
            return text.charAt(at++);
        }

        private int group() {
            char first = next("a group after $, such as $1");
            if (first == '{') {
                return namedGroup();
            }
            int group = digit(first);
            if (group < 0) {
                throw setting.unexpected("a group after $, such as $1, or \\$ for the character");
            }
            if (group > groupCount) {
                throw noSuchGroup("$" + group);
            }
            // As java.util.regex does: further digits belong to it as long as there is such a group.
            while (at < text.length() && digit(text.charAt(at)) >= 0) {
                int longer = group * 10 + digit(text.charAt(at));
                if (longer > groupCount) {
                    break;
                }
                group = longer;
                at++;
            }
            return group;
        }

        private int namedGroup() {
            int end = text.indexOf('}', at);
            String name = end < 0 ? text.substring(at) : text.substring(at, end);
            Integer group = pattern.namedGroups().get(name);
            if (end < 0 || group == null) {
                throw noSuchGroup("${" + name + "}");
            }
            at = end + 1;
            return group;
        }

        private SettingsException noSuchGroup(String written) {
            return setting.unexpected("groups that the regexp has: " + groupCount + ", named "
                    + pattern.namedGroups().keySet() + "; " + written + " is none");
        }

        private static int digit(char c) {
            return c >= '0' && c <= '9' ? c - '0' : -1;
        }
    }
}
