package net.oooops.sigma.api;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Who a request is from, as found by a plugin that authenticates. Plugins that follow see it, the access log has its id, and nodes get it in
 * {@code X-Consumer-Id} and the fields that it has. What clients send under {@code X-Consumer-}… never reaches a node, unless it comes from a
 * trusted proxy.
 *
 * <p>Made once where it is always the same. Immutable, safe for use from any thread.
 */
public final class Consumer {
    /** What the names of its fields begin with. */
    public static final String FIELD_PREFIX = "X-Consumer-";

    /** The name of that one which says the plan that the consumer has booked, see {@link #plan}. */
    public static final String PLAN_FIELD = FIELD_PREFIX + "Plan";

    /** How long an id may be, in characters. */
    public static final int ID_CHARS_MAX = 256;

    private static final FieldName ID = FieldName.of(FIELD_PREFIX + "Id");
    private static final FieldName PLAN = FieldName.of(PLAN_FIELD);

    private final String id;
    private final Field idField;
    private final List<Field> fields;
    private final @Nullable String plan;

    private Consumer(String id, Field idField, List<Field> fields) {
        this.id = id;
        this.idField = idField;
        this.fields = fields;
        this.plan = fields.stream()
                .filter(field -> field.name().equals(PLAN))
                .map(Field::value)
                .findFirst()
                .orElse(null);
    }

    /**
     * The consumer of that id.
     *
     * @param fields for nodes, beside {@code X-Consumer-Id}; their names begin with {@code X-Consumer-}
     * @throws IllegalArgumentException where the id is none, see {@link #isId}, or a field has another name
     */
    public static Consumer of(String id, Field... fields) {
        if (!isId(id)) {
            throw new IllegalArgumentException("consumer: \"" + id + "\" (expected: 1 to " + ID_CHARS_MAX
                    + " characters that may stand in a field, no tab)");
        }
        for (Field field : fields) {
            String name = field.name().toString().toLowerCase(Locale.ROOT);
            if (!name.startsWith(FIELD_PREFIX.toLowerCase(Locale.ROOT))
                    || field.name().equals(ID)) {
                throw new IllegalArgumentException(field.name() + " (expected: a name that begins with " + FIELD_PREFIX
                        + ", other than " + ID + ")");
            }
        }
        return new Consumer(id, Field.of(ID, id), List.of(fields));
    }

    /**
     * Whether a consumer may have that id: 1 to {@value #ID_CHARS_MAX} characters that may stand in a field, and no control characters. A field may hold
     * tabs, but two ids that only differ in how they are blank look alike to whoever reads them.
     */
    public static boolean isId(String id) {
        return !id.isEmpty() && id.length() <= ID_CHARS_MAX && id.indexOf('\t') < 0 && Field.isValue(id);
    }

    /** Who it is. */
    public String id() {
        return id;
    }

    /** {@code X-Consumer-Id} with that id. */
    public Field idField() {
        return idField;
    }

    /** What nodes get beside it. */
    public List<Field> fields() {
        return fields;
    }

    /** The plan that it has booked, by which limits differ: the value of its field {@value #PLAN_FIELD}; null where it has none. */
    public @Nullable String plan() {
        return plan;
    }

    @Override
    public String toString() {
        return id;
    }
}
