package net.oooops.sigma.api;

import java.util.ArrayList;
import java.util.List;

/**
 * A text in which names in braces stand for what is known later, such as {@code "{method} {path}"}; two braces stand for one that is meant itself.
 * Which names there are, and what they stand for, is up to whoever asks for the text. Immutable, any thread.
 *
 * @param texts what stands before, between and behind the names: one more than there are names
 * @param names what stands in braces, in the order written
 */
public record TemplateText(List<String> texts, List<String> names) {
    /** @throws IllegalArgumentException unless there is one text more than there are names */
    public TemplateText {
        if (texts.size() != names.size() + 1) {
            throw new IllegalArgumentException(
                    texts.size() + " texts for " + names.size() + " names (expected: one more)");
        }
        texts = List.copyOf(texts);
        names = List.copyOf(names);
    }

    /**
     * Reads a text as it is written.
     *
     * @throws UnfitException where a brace has no other
     */
    public static TemplateText parse(String text) {
        List<String> texts = new ArrayList<>();
        List<String> names = new ArrayList<>();
        StringBuilder current = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            boolean isBrace = c == '{' || c == '}';
            if (isBrace && at + 1 < text.length() && text.charAt(at + 1) == c) {
                current.append(c);
                at++;
            } else if (c == '{') {
                int end = text.indexOf('}', at);
                if (end < 0) {
                    throw new UnfitException("} behind the name, or {{ for a brace that is meant itself");
                }
                texts.add(current.toString());
                names.add(text.substring(at + 1, end));
                current.setLength(0);
                at = end;
            } else if (isBrace) {
                throw new UnfitException("}} for a brace that is meant itself");
            } else {
                current.append(c);
            }
        }
        texts.add(current.toString());
        return new TemplateText(texts, names);
    }
}
