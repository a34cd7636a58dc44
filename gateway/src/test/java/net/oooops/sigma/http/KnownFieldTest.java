package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.oooops.sigma.api.ConnectionOptions;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

/** Every known name is known in any letter case, and nothing that looks like one. */
class KnownFieldTest {
    private static final Set<String> NO_NAMES = Set.of("OTHER", "FORWARDING_LIKE", "X_CONSUMER");

    /** The constants by the names that they are named after: {@code X_FORWARDED_FOR} is {@code X-Forwarded-For}. */
    private static Map<String, Integer> known() {
        Map<String, Integer> known = new TreeMap<>();
        for (Field field : KnownField.class.getDeclaredFields()) {
            boolean number = field.getType() == int.class && Modifier.isStatic(field.getModifiers());
            if (number && !NO_NAMES.contains(field.getName())) {
                try {
                    known.put(field.getName().toLowerCase(Locale.ROOT).replace('_', '-'), field.getInt(null));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return known;
    }

    private static int of(String name) {
        byte[] bytes = ("xx" + name + "yy").getBytes(ISO_8859_1);
        return KnownField.of(bytes, 2, bytes.length - 2);
    }

    @Test
    void eachNameIsKnownInAnyCase() {
        assertThat(known()).hasSizeGreaterThan(20).doesNotContainValue(KnownField.OTHER);
        known().forEach((name, constant) -> {
            assertThat(of(name)).as(name).isEqualTo(constant);
            assertThat(of(name.toUpperCase(Locale.ROOT))).as(name).isEqualTo(constant);
            for (int i = 0; i < name.length(); i++) {
                String mixed = name.substring(0, i) + name.substring(i).toUpperCase(Locale.ROOT);
                assertThat(of(mixed)).as(mixed).isEqualTo(constant);
            }
        });
    }

    @Test
    void whatLooksLikeANameIsNot() {
        known().forEach((name, constant) -> {
            byte[] bytes = name.getBytes(ISO_8859_1);
            for (int i = 0; i < bytes.length; i++) {
                for (int b = 0; b < 256; b++) {
                    byte[] other = bytes.clone();
                    other[i] = (byte) b;
                    String text = new String(other, ISO_8859_1);
                    boolean same = text.toLowerCase(Locale.ROOT).equals(name) && b < 0x80;
                    int different = b == '_' && isForwarding(name, i) ? KnownField.FORWARDING_LIKE : KnownField.OTHER;
                    assertThat(of(text)).as(text).isEqualTo(same ? constant : different);
                }
                assertThat(of(name.substring(0, i) + name.substring(i + 1))).isEqualTo(KnownField.OTHER);
            }
            for (String other :
                    new String[] {name + "s", "x" + name, "x-" + name, name + "-", name.replace('-', '_') + " "}) {
                assertThat(of(other)).as(other).isEqualTo(KnownField.OTHER);
            }
        });
        assertThat(of("")).isEqualTo(KnownField.OTHER);
    }

    private static boolean isForwarding(String name, int at) {
        return (name.startsWith("x-forwarded") || name.startsWith("client-cert")) && name.charAt(at) == '-';
    }

    @Test
    void aForwardingFieldWithUnderscoresIsKnownAsSuch() {
        for (String name : List.of(
                "X_Forwarded_For",
                "x_forwarded-proto",
                "X-FORWARDED_HOST",
                "X_Forwarded_Port",
                "Client_Cert",
                "client-cert_chain")) {
            assertThat(of(name)).as(name).isEqualTo(KnownField.FORWARDING_LIKE);
        }
        for (String name : List.of(
                "Content_Length",
                "X_Forwarded_Fox",
                "X_Forwarded_Hosts",
                "Proxy_Connection",
                "Client_Certs",
                "Client_Cart")) {
            assertThat(of(name)).as(name).isEqualTo(KnownField.OTHER);
        }
    }

    /** RFC 9110 section 7.6.1: what is for one connection isn't what can't be named away. */
    @Test
    void hopByHopIsNotEndToEnd() {
        int[] hops = known().values().stream()
                .mapToInt(Integer::intValue)
                .filter(KnownField::isHopByHop)
                .toArray();
        assertThat(hops).hasSizeGreaterThan(8).contains(KnownField.CONNECTION, KnownField.TRANSFER_ENCODING);
        assertThat(Arrays.stream(hops)).noneMatch(KnownField::isEndToEnd);
        assertThat(Arrays.stream(hops)).allMatch(KnownField::isNeverTrailer);
    }

    /** Plugins that copy fields go by the same. */
    @Test
    void whatCanNotBeNamedAwayIsTheSameForPlugins() {
        known().forEach((name, constant) -> {
            TestExchange exchange = TestExchange.of("GET", "/", "Connection: " + name.toUpperCase(Locale.ROOT));
            assertThat(ConnectionOptions.of(exchange.request()).contains(FieldName.of(name)))
                    .as(name)
                    .isEqualTo(!KnownField.isEndToEnd(constant));
        });
    }

    @Test
    void aFieldOfAConsumerIsKnownByItsBeginning() {
        for (String name : new String[] {"X-Consumer-Id", "x-consumer-a", "X-CONSUMER-", "X-Consumer-a_b"}) {
            assertThat(of(name)).as(name).isEqualTo(name.length() > 11 ? KnownField.X_CONSUMER : KnownField.OTHER);
        }
        for (String name : new String[] {"X_Consumer_Id", "X-Consumer_Id", "x_consumer-id"}) {
            assertThat(of(name)).as(name).isEqualTo(KnownField.FORWARDING_LIKE);
        }
        for (String name : new String[] {"X-Consumers-Id", "Y-Consumer-Id", "X-Consume-Id", "X-Consumer"}) {
            assertThat(of(name)).as(name).isEqualTo(KnownField.OTHER);
        }
    }
}
