package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks 39 to 45 of the path rules. */
class PathNormalizerTest {
    private static final String BEFORE = "GET ";
    private static final String BEHIND = "%2e/x";

    private final PathNormalizer normalizer = new PathNormalizer();

    /** The normalised path, or the fault's name. */
    private String normalize(String path) {
        byte[] source = (BEFORE + path + BEHIND).getBytes(ISO_8859_1);
        int length = normalizer.normalize(source, BEFORE.length(), source.length - BEHIND.length());
        return length < 0 ? PathFault.of(length).name() : new String(normalizer.bytes(), 0, length, ISO_8859_1);
    }

    private static boolean isPlain(String path) {
        byte[] source = (BEFORE + path + BEHIND).getBytes(ISO_8859_1);
        return PathNormalizer.isPlain(source, BEFORE.length(), source.length - BEHIND.length());
    }

    @ParameterizedTest
    @CsvSource({
        "/,                       /",
        "/a/b,                    /a/b",
        "/a/b/,                   /a/b/",
        "/%41%7a%30%2D%2e%5f%7E,  /Az0-._~",
        "/a%2fb%3a%c3%a9,         /a%2Fb%3A%C3%A9",
        "/a%20b,                  /a%20b",
        "/%e2%82%ac/%F0%9F%98%80, /%E2%82%AC/%F0%9F%98%80",
        "/a%252fb%252e,           /a%252fb%252e",
        "/./a,                    /a",
        "/a/.,                    /a/",
        "/a/./b,                  /a/b",
        "/a/../b,                 /b",
        "/a/..,                   /",
        "/a/b/..,                 /a/",
        "/a/b/../../c,            /c",
        "/a/%2e%2E/b,             /b",
        "/a/.%2e/b,               /b",
        "/a/%2e/b,                /a/b",
        "/a/.../b,                /a/.../b",
        "/a/.b/c.,                /a/.b/c.",
        "/.well-known/x,          /.well-known/x",
        "//,                      /",
        "//a,                     /a",
        "/a//b///c//,             /a/b/c/",
        "/a//../b,                /b",
        "/a/.//./b,               /a/b",
        "/a;v=1/b;w,              /a;v=1/b;w",
        "/a;x/../b,               /b",
        "/a/;jsessionid=1,        /a/;jsessionid=1",
        "/a..;x/b,                /a..;x/b",
        "/a;../b,                 /a;../b",
        "/a%2F..b,                /a%2F..b",
        "/A/a,                    /A/a",
        "/a*b:c@d!$&'()+=,        /a*b:c@d!$&'()+=",
        "/a|b^c,                  /a|b^c",
        "/caf%e9/%C0%b4,          /caf%E9/%C0%B4",
    })
    void aPathIsNormalised(String path, String expected) {
        assertThat(normalize(path)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "'',            NOT_ABSOLUTE",
        "a/b,           NOT_ABSOLUTE",
        "*,             NOT_ABSOLUTE",
        "/%,            BAD_PERCENT",
        "/%4,           BAD_PERCENT",
        "/%zz,          BAD_PERCENT",
        "/%4g,          BAD_PERCENT",
        "/%-1,          BAD_PERCENT",
        "/%%41,         BAD_PERCENT",
        "/a%00,         NUL",
        "/a%5cb,        BACKSLASH",
        "/a%5Cb,        BACKSLASH",
        "/a\\b,         BACKSLASH",
        "/..,           ABOVE_ROOT",
        "/../a,         ABOVE_ROOT",
        "/a/../..,      ABOVE_ROOT",
        "/%2e%2e/a,     ABOVE_ROOT",
        "/.//..,        ABOVE_ROOT",
        "/..;/a,        AMBIGUOUS",
        "/a/..;x=1/b,   AMBIGUOUS",
        "/a/.;x/b,      AMBIGUOUS",
        "/a/%2e%2e;/b,  AMBIGUOUS",
        "/a/;x/b,       AMBIGUOUS",
        "/;/a,          AMBIGUOUS",
        "/a/..%2fb,     AMBIGUOUS",
        "/a/b%2f..,     AMBIGUOUS",
        "/a/b%2F..%2Fc, AMBIGUOUS",
        "/a/.%2Fb,      AMBIGUOUS",
        "/a/b%2F..;x,   AMBIGUOUS",
    })
    void aPathIsRefused(String path, String fault) {
        assertThat(normalize(path)).isEqualTo(fault);
        assertThat(isPlain(path)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%C0%80",
                "/%c0%ae",
                "/a%C0%AF",
                "/%C1%9C",
                "/%E0%80%AF",
                "/%E0%81%9c",
                "/%F0%80%80%AE/x",
                "/%F8%80%80%80%AF",
                "/%FC%80%80%80%80%AF",
                "/%E9%C0%AF"
            })
    void anOverlongFormOfWhatDividesAPathIsRefused(String path) {
        assertThat(normalize(path)).isEqualTo("OVERLONG");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/\u00e9", "/\u00c3\u00a9", "/a/\u0080"})
    void aRawByteBeyondAsciiIsRefused(String path) {
        assertThat(normalize(path)).isEqualTo("NOT_ASCII");
    }

    /** RFC 3986 section 2.1: octets need not be UTF-8. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%80",
                "/%BF",
                "/%C3",
                "/%C3x",
                "/%C3/%A9",
                "/%C3%C3",
                "/%C0",
                "/%C0/%AF",
                "/%C0AF",
                "/%C0%2F",
                "/%C1%81",
                "/%C1%AF",
                "/%E0%80",
                "/%E0%9F%BF",
                "/%ED%A0%80",
                "/%E2%82%AF",
                "/%F4%90%80%80",
                "/%FE%80%80%80%80%80%AF",
                "/%FF",
                "/%C2%80",
                "/%F4%8F%BF%BF"
            })
    void otherOctetsPass(String path) {
        assertThat(normalize(path)).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource({
        "/,          true",
        "/a/b/,      true",
        "/a.b/c-d_~, true",
        "/a./b,      true",
        "/a:b@c!$&'()*+=, true",
        "/a|b^c,     true",
        "/a%20,      false",
        "/a;b,       false",
        "/a\\b,      false",
        "//,         false",
        "/a//b,      false",
        "/./a,       false",
        "/a/..,      false",
        "/.a,        false",
        "a,          false",
        "'',         false",
        "*,          false",
    })
    void aPlainPathNeedsNoCloserLook(String path, boolean plain) {
        assertThat(isPlain(path)).isEqualTo(plain);
    }

    @Test
    void theResultStaysWhereItIsForAShorterPath() {
        normalize("/a/long/path/%20");
        byte[] bytes = normalizer.bytes();
        assertThat(normalize("/b%20")).isEqualTo("/b%20");
        assertThat(normalizer.bytes()).isSameAs(bytes);
    }

    @Test
    void whatIsNoFaultHasNone() {
        assertThatThrownBy(() -> PathFault.of(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("code: 3 ");
    }

    @Test
    void randomPathsKeepTheContract() {
        String[] pieces = {
            "/", "/", "/", ".", ".", "..", "a", "B", "%2e", "%2E", "%2f", "%2F", "%", "%4", "%41", "%25", "%C3%A9",
            "%c3", "%c0", "%ae", "%E0%80", "|", ";", ";x=1", "%5c", "\\", "%00", "~"
        };
        Random random = new Random(11);
        int normalised = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder path = new StringBuilder("/");
            for (int j = random.nextInt(8); j > 0; j--) {
                path.append(pieces[random.nextInt(pieces.length)]);
            }
            if (PathContract.check(path.toString().getBytes(ISO_8859_1))) {
                normalised++;
            }
        }
        assertThat(normalised).isGreaterThan(50_000);
    }
}
