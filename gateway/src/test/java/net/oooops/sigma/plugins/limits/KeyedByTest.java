package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Expression;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyedByTest {
    private static KeyedBy by(Object by) {
        return KeyedBy.read(Settings.of(Map.of("by", by)), new TestContext());
    }

    private static ShortKey key(KeyedBy by, TestExchange exchange) {
        return by.of(exchange).copy();
    }

    private static TestExchange from(String address, String... fields) {
        return TestExchange.of("GET", "/", fields).withAddresses(address, "127.0.0.1");
    }

    /** Where it comes to nothing, or can't be evaluated, the address stands there, as for a field that is missing. */
    @Test
    void anExpressionIsAPart() {
        TestContext context = new TestContext()
                .with((Expression) exchange -> exchange.request().value(FieldName.of("T")));
        KeyedBy by = KeyedBy.read(Settings.of(Map.of("by", Map.of("expression", "x"))), context);
        assertThat(key(by, from("192.0.2.1", "T: a"))).isEqualTo(key(by, from("192.0.2.2", "T: a")));
        assertThat(key(by, from("192.0.2.1", "T: a"))).isNotEqualTo(key(by, from("192.0.2.1", "T: b")));
        assertThat(context.count("keys_undecided")).isZero();
        assertThat(key(by, from("192.0.2.1"))).isEqualTo(key(KeyedBy.ADDRESS, from("192.0.2.1")));
        assertThat(context.count("keys_undecided")).isEqualTo(1);
        assertThat(key(by, from("192.0.2.1", "T: 192.0.2.1"))).isNotEqualTo(key(by, from("192.0.2.1")));
    }

    /** What is shared is called the same in all processes, and differs where keys do. */
    @Test
    void namesAreThoseOfTheKey() {
        KeyedBy two = by(List.of(Map.of("header", "A"), Map.of("header", "B")));
        String name = two.name(from("192.0.2.1", "A: ab", "B: c"));
        assertThat(name).isEqualTo("BOJgQ1jLv2gtGQ-QV8WByg").hasSize(22);
        assertThat(two.name(from("192.0.2.1", "A: a", "B: bc"))).isNotEqualTo(name);
        assertThat(by("address").name(from("192.0.2.1")))
                .isEqualTo(by("address").name(from("192.0.2.1", "A: b")));
        assertThat(by("address").name(from("2001:db8::1")))
                .isEqualTo(by("address").name(from("2001:db8::2")));
        assertThat(by("address").name(from("192.0.2.1")))
                .isNotEqualTo(by("address").name(from("192.0.2.2")));
    }

    /** As OpenSSL has it: {@code openssl mac -macopt hexkey:000102…0f -macopt size:16 SIPHASH} of the octets 0 to 7, and 0 to 23. */
    @Test
    void theDigestIsSipHash() {
        KeyDigest digest = new KeyDigest(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        ShortKey none = digest.begin().end();
        assertThat(none).isEqualTo(new ShortKey(0x930255c71472f66dL, 0xe6a825ba047f81a3L));
        digest.begin().add(0x0706050403020100L);
        assertThat(digest.end()).isEqualTo(new ShortKey(0xb49714f364e2830fL, 0x61f55862baa9623bL));
        digest.begin().add(0x0706050403020100L);
        digest.add(0x0f0e0d0c0b0a0908L);
        digest.add(0x1716151413121110L);
        assertThat(digest.end()).isEqualTo(new ShortKey(0xad32618a178a2a88L, 0xd850bd78ae79b42dL));
    }

    @Test
    void keysThatCouldReadTheSameAreNot() {
        Set<ShortKey> seen = new HashSet<>();
        KeyedBy two = by(List.of(Map.of("header", "A"), Map.of("header", "B")));
        seen.add(key(two, from("192.0.2.1", "A: ab", "B: c")));
        seen.add(key(two, from("192.0.2.1", "A: a", "B: bc")));
        seen.add(key(two, from("192.0.2.1", "A: abc")));
        seen.add(key(two, from("192.0.2.1", "B: abc")));
        seen.add(key(two, from("192.0.2.1", "A: 192.0.2.1", "B: abc")));
        seen.add(key(two, from("192.0.2.1")));
        seen.add(key(two, from("192.0.2.2")));
        assertThat(seen).hasSize(7);
    }

    /** An id of a Route is unique within its Router. */
    @Test
    void routesOfTwoRoutersAreTwo() {
        for (KeyedBy route : List.of(by("route"), by(List.of("route", "address")))) {
            assertThat(key(route, from("192.0.2.1").withRoute("shop", "all")))
                    .isEqualTo(key(route, from("192.0.2.1").withRoute("shop", "all")))
                    .isNotEqualTo(key(route, from("192.0.2.1").withRoute("blog", "all")))
                    .isNotEqualTo(key(route, from("192.0.2.1").withRoute("shop", "one")));
            assertThat(route.name(from("192.0.2.1").withRoute("shop", "all")))
                    .isNotEqualTo(route.name(from("192.0.2.1").withRoute("blog", "all")));
        }
    }

    @Test
    void ofLongTextsEachCharacterCounts() {
        KeyedBy header = by(Map.of("header", "X-Api-Key"));
        Set<ShortKey> seen = new HashSet<>();
        for (int bytes = 1; bytes <= 8192; bytes = bytes * 2 + 1) {
            seen.add(key(header, from("192.0.2.1", "X-Api-Key: " + "a".repeat(bytes))));
            seen.add(key(header, from("192.0.2.1", "X-Api-Key: " + "a".repeat(bytes - 1) + "b")));
        }
        assertThat(seen).hasSize(26);
    }

    @ParameterizedTest
    @CsvSource({
        "64, 2001:db8::1, 2001:db8::2, true",
        "64, 2001:db8::1, 2001:db8:0:1::1, false",
        "48, 2001:db8::1, 2001:db8:0:1::1, true",
        "48, 2001:db8::1, 2001:db8:1::1, false",
        "128, 2001:db8::1, 2001:db8::2, false",
        "80, 2001:db8::1:0:0:1, 2001:db8::1:0:0:2, true",
        "80, 2001:db8::1:0:0:1, 2001:db8::2:0:0:1, false",
        "80, 2001:db8:0:0:1::1, 2001:db8:0:0:2::1, false",
        "64, 192.0.2.1, 192.0.2.2, false",
        "64, 192.0.2.1, ::ffff:192.0.2.1, true"
    })
    void addressesAreOneByTheirPrefix(int prefix, String one, String other, boolean same) {
        KeyedBy by = KeyedBy.read(Settings.of(Map.of("ipv6-prefix", prefix)), new TestContext());
        assertThat(key(by, from(one)).equals(key(by, from(other)))).isEqualTo(same);
    }

    /** A request without what is counted by is of its address, and nobody can write what another's address is. */
    @Test
    void whoHasNoKeyIsItsAddress() {
        KeyedBy consumer = by("consumer");
        ShortKey nobody = key(consumer, from("192.0.2.1"));
        assertThat(nobody)
                .isEqualTo(key(KeyedBy.ADDRESS, from("192.0.2.1")))
                .isNotEqualTo(key(consumer, from("192.0.2.2")))
                .isNotEqualTo(key(consumer, from("192.0.2.1").withConsumer(Consumer.of("192.0.2.1"))));
        assertThat(key(consumer, from("192.0.2.1").withConsumer(Consumer.of("ada"))))
                .isEqualTo(key(consumer, from("192.0.2.2").withConsumer(Consumer.of("ada"))));
        KeyedBy header = by(Map.of("header", "X-Api-Key"));
        assertThat(key(header, from("192.0.2.1", "X-Api-Key: ")))
                .isEqualTo(nobody)
                .isEqualTo(key(header, from("192.0.2.1")));
        KeyedBy shop = by(Map.of("parameter", "shop"));
        assertThat(key(shop, from("192.0.2.1"))).isEqualTo(nobody);
        assertThat(key(shop, from("192.0.2.1").withParameter("shop", "7")))
                .isEqualTo(key(shop, from("192.0.2.2").withParameter("shop", "7")));
    }

    @Test
    void aRouteIsOneForAll() {
        assertThat(key(by("route"), from("192.0.2.1"))).isEqualTo(key(by("route"), from("192.0.2.2")));
        assertThat(key(by(List.of("route", "address")), from("192.0.2.1")))
                .isNotEqualTo(key(by(List.of("route", "address")), from("192.0.2.2")));
    }

    @ParameterizedTest
    @CsvSource({
        "'id=a', true",
        "'x=1; id=a', true",
        "'x=1;id=a ; y=2', true",
        "'id=a; id=b', true",
        "'id=b; id=a', false",
        "'xid=b; id=a', true",
        "'ID=b; id=a', true",
        "'x=id=b; id=a', true",
        "'id; id=a', true",
        "'id = a', true",
        "'id=ab', false",
        "'', false",
        "';;;', false",
        "'id=', false"
    })
    void aCookieIsFoundByItsName(String cookie, boolean same) {
        KeyedBy by = by(Map.of("cookie", "id"));
        ShortKey expected = key(by, from("192.0.2.1", "Cookie: id=a"));
        assertThat(key(by, from("192.0.2.9", "Cookie: " + cookie)).equals(expected))
                .isEqualTo(same);
        assertThat(key(by, from("192.0.2.9", "Cookie: z=1", "Cookie: " + cookie))
                        .equals(expected))
                .isEqualTo(same);
    }

    @Test
    void whatCannotBeCountedByIsRefused() {
        assertThatThrownBy(() -> by(Map.of("header", "a b")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/by/header");
        assertThatThrownBy(() -> by(List.of("address", "planet"))).hasMessageContaining("/by/1");
        assertThatThrownBy(() -> by(List.of())).hasMessageContaining("/by");
    }
}
