package net.oooops.sigma.plugins.authentication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.TestExchange;
import net.oooops.sigma.testkit.TestRequestHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
    private static final Credentials FIELD = Credentials.inField("X-Api-Key");
    private static final Credentials BEARER = Credentials.inAuthorization("Bearer");

    private static TestRequestHead head(String target, String... fields) {
        return TestExchange.of("GET", target, fields).request();
    }

    private static Credentials from(String kind, String name) {
        return Credentials.of(Settings.of(List.of(Map.of(kind, name))), FIELD);
    }

    @Test
    void aFieldHasOneOrCannotBeRead() {
        assertThat(FIELD.read(head("/"))).isNull();
        assertThat(FIELD.read(head("/", "x-api-key: a"))).isEqualTo("a");
        assertThat(FIELD.read(head("/", "X-Api-Key: a", "X-Api-Key: a"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Bearer abc, abc",
        "bearer  abc, abc",
        "BEARER abc def, abc def",
        "Bearer, ''",
        "Bearerabc,",
        "Basic abc,",
        "Bear,"
    })
    void authorizationIsOfOneScheme(String value, String expected) {
        assertThat(BEARER.read(head("/", "Authorization: " + value))).isEqualTo(expected);
    }

    @Test
    void authorizationOfAnotherSchemeIsLeftAlone() {
        TestRequestHead both = head("/", "Authorization: Basic a", "Authorization: Bearer b");
        assertThat(BEARER.read(both)).isEmpty();

        TestRequestHead other = head("/", "Authorization: Basic a");
        BEARER.hide(other);
        assertThat(other.lines()).containsExactly("Authorization: Basic a");
        TestRequestHead own = head("/", "Authorization: Bearer a", "A: b");
        BEARER.hide(own);
        assertThat(own.lines()).containsExactly("A: b");
    }

    @ParameterizedTest
    @CsvSource({
        "/?key=a, a,",
        "/?a=b&key=a&c=d, a, a=b&c=d",
        "/?a&&key=a, a, a&",
        "/?key, '',",
        "/?key=, '',",
        "/?key=a&key=a, '',",
        "/?key=a&b&%6bey=c, '', b",
        "/?%6B%65y=a%2Bb, a+b,",
        "/?b=%6bey&key=%61, a, b=%6bey",
        "/?keys=a&xkey=b&KEY=c, , keys=a&xkey=b&KEY=c",
        "/?a=key=b, , a=key=b",
        "/, ,"
    })
    void aParameterIsTakenOutOfTheQuery(String target, String expected, String left) {
        Credentials query = from("query", "key");
        TestRequestHead head = head(target);
        assertThat(query.read(head)).isEqualTo(expected);
        query.hide(head);
        assertThat(head.query()).isEqualTo(left);
    }

    @Test
    void aCookieIsTakenOutOfTheOthers() {
        Credentials cookie = from("cookie", "token");
        TestRequestHead head = head("/", "Cookie: a=b; token=\"x\"; c=d", "Cookie: e=f");
        assertThat(cookie.read(head)).isEqualTo("x");
        cookie.hide(head);
        assertThat(head.lines()).containsExactly("Cookie: a=b; c=d; e=f");

        TestRequestHead alone = head("/", "Cookie: token=x=y");
        assertThat(cookie.read(alone)).isEqualTo("x=y");
        cookie.hide(alone);
        assertThat(alone.lines()).isEmpty();

        assertThat(cookie.read(head("/", "Cookie: token=x", "Cookie: token=x"))).isEmpty();
        TestRequestHead other = head("/", "Cookie: Token=x;  tokens=y");
        assertThat(cookie.read(other)).isNull();
        cookie.hide(other);
        assertThat(other.lines()).containsExactly("Cookie: Token=x;  tokens=y");
    }

    /** What is no cookie's value (RFC 6265 section 4.1.1) is there, but no credential; what a laxer reader takes for a second one, is one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"token=a b", "token=a,b", "token=\"a", "token=\u00e4", "token=a; token =b", "token=a;token\t= a"})
    void aCookieThatCannotBeReadIsNotPassedOver(String pairs) {
        Credentials cookie = from("cookie", "token");
        TestRequestHead head = head("/", "Cookie: " + pairs, "Cookie: c=d");
        assertThat(cookie.read(head)).isEmpty();
        cookie.hide(head);
        assertThat(head.lines()).containsExactly("Cookie: c=d");
    }

    @Test
    void theFirstPlaceCountsAndAllAreHidden() {
        Credentials several =
                Credentials.of(Settings.of(List.of(Map.of("field", "X-Api-Key"), Map.of("query", "key"))), FIELD);
        TestRequestHead head = head("/?key=b&a", "X-Api-Key: a");
        assertThat(several.read(head)).isEqualTo("a");
        several.hide(head);
        assertThat(head.lines()).isEmpty();
        assertThat(head.query()).isEqualTo("a");
        assertThat(several.scheme("ApiKey")).isEqualTo("ApiKey");
        assertThat(BEARER.scheme("ApiKey")).isEqualTo("Bearer");
    }

    @ParameterizedTest
    @CsvSource({
        "field, Host",
        "field, authorization",
        "field, Cookie",
        "field, a b",
        "query, a&b",
        "query, a%62",
        "cookie, a;b"
    })
    void placesThatCannotBeAreProblems(String kind, String name) {
        assertThatThrownBy(() -> from(kind, name))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/0/" + kind));
    }

    @Test
    void aRealmIsQuoted() {
        assertThat(Credentials.challenge("Basic", "a \"b\" \\", ", charset=\"UTF-8\""))
                .hasToString("WWW-Authenticate: Basic realm=\"a \\\"b\\\" \\\\\", charset=\"UTF-8\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"&", "a&", "a=&", "key&"})
    void aLongQueryCostsWhatItsLengthIs(String repeated) {
        TestRequestHead head = head("/?" + repeated.repeat(2 * 1024 * 1024 / repeated.length()));
        Credentials key = from("query", "key");
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            key.read(head);
            key.hide(head);
            assertThat(key.read(head)).isNull();
        });
    }
}
