package net.oooops.sigma.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The values of a configuration that are never shown. Immutable. */
public final class Secrets {
    /** What is shown in their place. */
    static final String HIDDEN = "(secret)";

    /** Of configurations without secrets. */
    public static final Secrets NONE = new Secrets(List.of());

    /** So many are known at once. */
    private static final int MAX = 1000;

    /** In the order in which they became known. */
    private final List<String> values;

    private final @Nullable Pattern any;

    /** @param values as they are */
    public Secrets(Collection<String> values) {
        this.values = List.copyOf(values);
        this.any = values.isEmpty() ? null : pattern(values);
    }

    /** These, and others. Of more than a thousand those that became known last. */
    public Secrets and(Secrets later) {
        if (values.isEmpty() || later.values.isEmpty()) {
            return values.isEmpty() ? later : this;
        }
        Set<String> all = new LinkedHashSet<>(values);
        all.removeAll(later.values);
        all.addAll(later.values);
        return new Secrets(all.stream().skip(Math.max(0, all.size() - MAX)).toList());
    }

    private static @Nullable Pattern pattern(Collection<String> values) {
        Set<String> forms = new TreeSet<>(
                Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        for (String value : values) {
            String quoted = Json.quoted(value);
            forms.add(value);
            forms.add(value.toLowerCase(Locale.ROOT));
            forms.add(quoted.substring(1, quoted.length() - 1));
        }
        forms.remove("");
        return forms.isEmpty()
                ? null
                : Pattern.compile(forms.stream().map(Pattern::quote).collect(Collectors.joining("|")));
    }

    /** A text that is shown, without any of them. */
    public String hide(String text) {
        return any == null ? text : any.matcher(text).replaceAll(Matcher.quoteReplacement(HIDDEN));
    }

    /** Problems that are shown, without any of them. */
    List<Problem> hide(List<Problem> problems) {
        return any == null ? problems : problems.stream().map(this::hide).toList();
    }

    private Problem hide(Problem problem) {
        return new Problem(problem.place(), hide(problem.found()), hide(problem.expected()), problem.nearest());
    }
}
