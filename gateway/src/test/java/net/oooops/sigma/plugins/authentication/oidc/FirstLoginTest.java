package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the first login needs of the JDK is there when the plugin is: an event loop doesn't wait for some hundred classes of ciphers. */
@Timeout(60)
class FirstLoginTest {
    private static final String SECRET = "of-an-example-of-32-characters-at-least";
    private static final int CLASSES_MAX = 10;

    /** A JVM of its own, in which nothing has been sealed yet. */
    static final class Fresh {
        private Fresh() {}

        public static void main(String[] words) {
            new OidcFactory()
                    .create(
                            Settings.of(Map.of(
                                    "issuer",
                                    "https://id.example.com",
                                    "proxy-pass-id",
                                    "id",
                                    "client-id",
                                    "shop",
                                    "callback-url",
                                    "https://shop.example.com/oidc/callback",
                                    "session-secret",
                                    SECRET)),
                            new TestContext());
            Sealer sealer = new Sealer(List.of(SECRET), "test");
            long before = loaded();
            LoginState login = LoginState.begin("browser", "/", 1);
            byte[] plain = sealer.open(sealer.seal(login.toBytes()));
            LoginState opened = plain == null ? null : LoginState.of(plain);
            boolean same = opened != null && opened.challenge().equals(login.challenge());
            long classes = loaded() - before;
            System.out.print(same ? "classes " + classes : "another login");
        }

        private static long loaded() {
            return ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
        }
    }

    @Test
    void itLoadsNextToNothing() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Fresh.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(said).startsWith("classes ");
        assertThat(Integer.parseInt(said.substring("classes ".length()))).isLessThan(CLASSES_MAX);
    }
}
