package net.oooops.sigma.api;

import java.util.List;

/**
 * What a client says of content codings (RFC 9110 section 12.5.3). The values are those of the request's fields {@code Accept-Encoding}.
 *
 * <p>A coding's weight is the one that stands beside its name, else that of {@code *}, else none: what a client doesn't accept it doesn't get. {@code
 * x-gzip} is another name of {@code gzip}. A body as it is ({@code identity}) has the weight that is said of it, and is else liked less than any
 * coding that is accepted.
 *
 * <p>Safe for use from any thread; allocates nothing.
 */
public final class AcceptEncoding {
    /** The field. */
    public static final FieldName NAME = FieldName.of("Accept-Encoding");

    private AcceptEncoding() {}

    /**
     * Which of these codings the client likes best; of those that it likes equally the first.
     *
     * @param values of the fields; empty where there is none
     * @param codings the one that is liked best here first
     * @return its index; -1 where the body is to go as it is, since none is accepted, or {@code identity} is liked better than any
     */
    public static int best(List<String> values, List<String> codings) {
        if (values.isEmpty()) {
            return -1;
        }
        // Of equal weight a coding is better than none.
        int most = Math.max(0, ListField.weight(values, "identity") - 1);
        int best = -1;
        for (int i = 0; i < codings.size(); i++) {
            int weight = weight(values, codings.get(i));
            if (weight > most) {
                most = weight;
                best = i;
            }
        }
        return best;
    }

    /**
     * The weight of a coding in thousandths; 0 where it isn't accepted.
     *
     * @param values of the fields
     */
    public static int weight(List<String> values, String coding) {
        int weight = ListField.weight(values, coding);
        if (weight == ListField.UNSAID && coding.equals("gzip")) {
            weight = ListField.weight(values, "x-gzip");
        }
        if (weight == ListField.UNSAID) {
            weight = ListField.weight(values, "*");
        }
        return Math.max(0, weight);
    }
}
