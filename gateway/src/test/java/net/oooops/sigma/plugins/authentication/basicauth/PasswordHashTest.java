package net.oooops.sigma.plugins.authentication.basicauth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.UnfitException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordHashTest {
    /** Of "U*U", from the test vectors of crypt_blowfish. */
    private static final String BCRYPT = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

    /** Of "password", by argon2-cffi, which is phc-winner-argon2. */
    private static final String ARGON2ID =
            "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$PL01amPyeUuxG7H0vIr5X+qHkZvWnHmGBGXFYvh8z2E";

    /** The same in two lanes. */
    private static final String TWO_LANES =
            "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc";

    @Test
    void bcryptIsThatOfOthers() {
        assertThat(PasswordHash.of(BCRYPT).matches("U*U".getBytes(UTF_8))).isTrue();
        assertThat(PasswordHash.of(BCRYPT).matches("U*V".getBytes(UTF_8))).isFalse();
        assertThat(PasswordHash.of(BCRYPT).matches(new byte[0])).isFalse();
        assertThat(PasswordHash.of(BCRYPT).toString()).doesNotContain("CCCC");
    }

    @Test
    void argon2idIsThatOfOthers() {
        assertThat(PasswordHash.of(TWO_LANES).matches("password".getBytes(UTF_8)))
                .isTrue();
        assertThat(PasswordHash.of(ARGON2ID).matches("password".getBytes(UTF_8)))
                .isTrue();
        assertThat(PasswordHash.of(ARGON2ID).matches("Password".getBytes(UTF_8)))
                .isFalse();
    }

    /** By which whoever is remembered is known in a file that was read again. */
    @ParameterizedTest
    @ValueSource(strings = {BCRYPT, ARGON2ID})
    void whatIsWrittenAlikeIsEqual(String text) {
        assertThat(PasswordHash.of(text)).isEqualTo(PasswordHash.of(text)).hasSameHashCodeAs(PasswordHash.of(text));
        assertThat(PasswordHash.of(text)).isNotEqualTo(PasswordHash.of(TWO_LANES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "pässwörd", "with : colon", "x y"})
    void whatHtpasswdWritesIsRead(String password, @TempDir Path folder) throws Exception {
        Needed.here(Files.isExecutable(Path.of("/usr/bin/htpasswd")), "htpasswd (apache2-utils)");
        Path file = folder.resolve("users");
        Process process = new ProcessBuilder("htpasswd", "-cbB", "-C", "5", file.toString(), "ada", password)
                .redirectErrorStream(true)
                .start();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        Users.User user = Objects.requireNonNull(
                Htpasswd.with(Map.of(), Map.of(), Files.readString(file)).get("ada"), "ada");
        assertThat(user.hash().matches(password.getBytes(UTF_8))).isTrue();
        assertThat(user.hash().matches("other".getBytes(UTF_8))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "$apr1$abc$def, not MD5",
        "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=, not SHA-1",
        "$6$salt$hash, crypt(3)",
        "secret, neither plain text",
        "'', neither plain text",
        "rOioh4Wh0dJ2E, neither plain text nor crypt",
        "$argon2i$v=19$m=16;t=2;p=1$c29tZXNhbHQ$aaaa, not argon2i",
        "$2y$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW, a cost of 4 to 14",
        "$2y$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW, a cost of 4 to 14",
        "$2y$ 5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW, a cost of 4 to 14",
        "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW, bcrypt as $2y$",
        "$2y$05$CCCC, bcrypt as $2y$",
        "$2y$05$!CCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW, 64 characters",
        "'$argon2id$v=19$m=9999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHApl8ArZWb2GRPPc', m of 8 times p",
        "'$argon2id$v=19$m=65536,t=11,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHApl8ArZWb2GRPPc', t of 1 to 10",
        "'$argon2id$v=16$m=65536,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHApl8ArZWb2GRPPc', Argon2id as"
    })
    void otherKindsSayWhatToUse(String text, String expected) {
        assertThatThrownBy(() -> PasswordHash.of(text))
                .isInstanceOf(UnfitException.class)
                .hasMessageContaining(expected);
        assertThatThrownBy(() -> Htpasswd.with(Map.of(), Map.of(), "# a\nada:" + text))
                .isInstanceOf(UnfitException.class)
                .hasMessageContaining("in line 2 ")
                .hasMessageContaining(expected);
    }

    @Test
    void aFileNamesEachUserOnce() {
        assertThatThrownBy(() -> Htpasswd.with(Map.of(), Map.of(), "a:" + BCRYPT + "\na:" + BCRYPT))
                .hasMessageContaining("in line 2 a user that no line before has");
        assertThatThrownBy(() -> Htpasswd.with(Map.of(), Map.of(), ":" + BCRYPT))
                .hasMessageContaining("in line 1 a user, a colon");
        assertThat(Htpasswd.with(Map.of(), Map.of(), "\r\na:" + BCRYPT + "\r\n#b\r\n"))
                .containsOnlyKeys("a");
    }

    /** Whatever number of cores there is. */
    @Test
    void memoryForPasswordsIsBounded() {
        String argon = "$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$" + "A".repeat(43);
        assertThat(PasswordHash.of(argon).threads()).isSameAs(Hashing.IN_MEMORY);
        assertThat((long) Argon2id.MEMORY_KIB_MAX * Hashing.IN_MEMORY_MAX).isLessThanOrEqualTo(256 << 10);
    }
}
