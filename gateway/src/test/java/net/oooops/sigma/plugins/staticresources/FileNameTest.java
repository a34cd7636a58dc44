package net.oooops.sigma.plugins.staticresources;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What paths name below the folder. */
class FileNameTest {
    @ParameterizedTest
    @CsvSource({
        "/,''",
        "/a,a",
        "/a/b.css,a/b.css",
        "/a/b/,a/b",
        "/a%20b,a b",
        "/a;x=1,a;x=1",
        "/%C3%A9,é",
        "/e%CC%81,e\u0301",
        "/100%25,100%",
        "/a%2Eb,a.b",
        "/a..b,a..b",
        "/.well-known/x,.well-known/x"
    })
    void isRead(String path, String name) {
        assertThat(FileName.of(path, 0, false)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/../a",
                "/a/..",
                "/a/../b",
                "/./a",
                "/%2e%2e/a",
                "/%2E%2e%2fa",
                "/..%2fa",
                "/..%5ca",
                "/..\\a",
                "/a\\b",
                "/a%00",
                "/a%00.css",
                "/%0a",
                "/%7f",
                "/a%2fb",
                "/a%2Fb",
                "//a",
                "/a//b",
                "/a//",
                "/%",
                "/%4",
                "/%4g",
                "/a%",
                "/%c0%ae%c0%ae/a",
                "/%c0%af",
                "/%e0%80%af",
                "/%f0%80%80%af",
                "/%ed%a0%80",
                "/%ff",
                "/%c3",
                "/.git/config",
                "/a/.htaccess",
                "/%2egit",
                "/a/.well-known/x",
                "/.well-known/.x"
            })
    void isRefused(String path) {
        assertThat(FileName.of(path, 0, false)).isNull();
    }

    @Test
    void dotFilesWhereTheyAreAllowed() {
        assertThat(FileName.of("/.git/config", 0, true)).isEqualTo(".git/config");
        assertThat(FileName.of("/../config", 0, true)).isNull();
        assertThat(FileName.of("/.", 0, true)).isNull();
    }

    @Test
    void whatIsTooLong() {
        assertThat(FileName.of("/" + "a".repeat(255), 0, false)).hasSize(255);
        assertThat(FileName.of("/" + "a".repeat(256), 0, false)).isNull();
        assertThat(FileName.of("/a".repeat(3000), 0, false)).isNull();
        assertThat(FileName.of("/" + "%41".repeat(5000), 0, false)).isNull();
    }

    @Test
    void whatIsCutOff() {
        assertThat(FileName.of("/static/a", 7, false)).isEqualTo("a");
        assertThat(FileName.of("/static/", 7, false)).isEmpty();
        assertThat(FileName.of("/static", 7, false)).isEmpty();
    }
}
