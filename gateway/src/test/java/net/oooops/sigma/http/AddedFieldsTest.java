package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import org.junit.jupiter.api.Test;

class AddedFieldsTest {
    private static final FieldName A = FieldName.of("X-A");
    private static final FieldName B = FieldName.of("X-B");

    private final AddedFields added = new AddedFields();

    private String written() {
        byte[] target = new byte[added.bytes()];
        assertThat(added.copyTo(target, 0)).isEqualTo(target.length);
        return new String(target, US_ASCII);
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            added.add(Field.of("X-A", Integer.toString(i)));
        }
    }

    @Test
    void theyAreWrittenInTheirOrder() {
        add(2);
        added.add(Field.of("X-B", ""));
        assertThat(written()).isEqualTo("X-A: 0\r\nX-A: 1\r\nX-B: \r\n");
        List<String> values = new ArrayList<>();
        added.values(A, values);
        assertThat(values).containsExactly("0", "1");
    }

    @Test
    void oneIsFoundByItsName() {
        assertThat(added.find(A)).isNull();
        add(2);
        added.add(Field.of("x-b", ""));
        assertThat(added.find(FieldName.of("x-A"))).isEqualTo(added.get(0));
        assertThat(added.find(B)).isNotNull();
        assertThat(added.hasValue(A)).isTrue();
        assertThat(added.hasValue(B)).isFalse();
    }

    @Test
    void oneIsReplacedWhereItStands() {
        add(3);
        added.replace(1, Field.of("X-B", "b"));
        assertThat(written()).isEqualTo("X-A: 0\r\nX-B: b\r\nX-A: 2\r\n");
        added.replace(0, null);
        assertThat(written()).isEqualTo("X-B: b\r\nX-A: 2\r\n");
        added.replace(1, null);
        assertThat(written()).isEqualTo("X-B: b\r\n");
    }

    @Test
    void allOfANameAreTakenOut() {
        add(6);
        added.add(Field.of("X-B", "b"));
        added.remove(A);
        assertThat(added.count()).isOne();
        assertThat(written()).isEqualTo("X-B: b\r\n");
        added.clear();
        assertThat(added.count()).isZero();
        assertThat(added.find(B)).isNull();
    }
}
