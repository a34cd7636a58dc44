package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launcher finds its jar in a folder of a version as in a checkout. In the place of the JDK there is a script that prints what it was called with. */
@DisabledOnOs(OS.WINDOWS)
class LauncherJarTest {
    private static final String PRINT_WORDS = "#!/bin/sh\necho \"$@\"\n";

    @TempDir
    private Path folder;

    private static Path launcher() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("sigma"))) {
            here = Objects.requireNonNull(here.getParent(), "in no checkout");
        }
        return here.resolve("sigma");
    }

    private Path installed(String... files) throws IOException {
        Path version = Files.createDirectories(folder.resolve("0.2.0"));
        Files.copy(launcher(), version.resolve("sigma"));
        for (String file : files) {
            Path path = version.resolve(file);
            Files.createDirectories(Objects.requireNonNull(path.getParent()));
            Files.writeString(path, "");
        }
        return version;
    }

    private static void program(Path path, String text) throws IOException {
        Files.createDirectories(Objects.requireNonNull(path.getParent()));
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** What it prints, both outputs, and its exit code. */
    private String run(Path launcher) throws IOException, InterruptedException {
        Path jdk = folder.resolve("jdk");
        program(jdk.resolve("bin/java"), PRINT_WORDS);
        program(jdk.resolve("bin/javac"), PRINT_WORDS);
        program(folder.resolve("programs/mvn"), "#!/bin/sh\necho Maven was called\nexit 1\n");
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
        Path out = folder.resolve("out");
        ProcessBuilder builder = new ProcessBuilder("bash", launcher.toString(), "version")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("SIGMA_JAVA_HOME", jdk.toString());
        builder.environment().put("SIGMA_JAVA_OPTS", "");
        builder.environment().put("SIGMA_AOT", "off");
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        builder.environment().merge("PATH", folder.resolve("programs") + ":", (path, mine) -> mine + path);
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.readString(out) + process.exitValue();
    }

    @Test
    void theJarIsBesideTheLauncher() throws Exception {
        Path version = installed("sigma-0.2.0-fat.jar", "gateway/target/sigma-0.1.0-fat.jar");
        assertThat(run(version.resolve("sigma")))
                .endsWith("-jar " + version.toRealPath().resolve("sigma-0.2.0-fat.jar") + " version\n0");
    }

    @Test
    void theJarIsWhereABuildHasPutIt() throws Exception {
        Path version = installed("gateway/target/sigma-0.2.0-fat.jar");
        assertThat(run(version.resolve("sigma")))
                .endsWith("-jar " + version.toRealPath().resolve("gateway/target/sigma-0.2.0-fat.jar") + " version\n0");
    }

    @Test
    void throughALinkTheFolderThatItLeadsToIsMeant() throws Exception {
        Path version = installed("sigma-0.2.0-fat.jar");
        Path current = Files.createSymbolicLink(folder.resolve("current"), Path.of("0.2.0"));
        assertThat(run(current.resolve("sigma")))
                .contains("-Dsigma.launcher=" + current.resolve("sigma") + " ")
                .endsWith("-jar " + version.toRealPath().resolve("sigma-0.2.0-fat.jar") + " version\n0");
    }

    @Test
    void aFolderWithoutAJarIsNoCheckoutToBuild() throws Exception {
        Path version = installed();
        Path real = version.toRealPath();
        assertThat(run(version.resolve("sigma")))
                .isEqualTo("sigma: no jar at " + real + " (expected: " + real + "/sigma-VERSION-fat.jar, or " + real
                        + "/gateway/target/sigma-VERSION-fat.jar)\n2");
        assertThat(version).isDirectoryNotContaining("glob:**/gateway");
    }

    @Test
    void aCheckoutIsBuiltAndWhatLiesBesideTheLauncherIsLeftAlone() throws Exception {
        Path version = installed("sigma-0.2.0-fat.jar", "pom.xml");
        assertThat(run(version.resolve("sigma"))).contains("Maven was called").endsWith("1");
    }

    /** A file stands where the folder is to be, which stops even root. */
    @Test
    void aCheckoutThatCanNotBeWrittenSaysWhoCanNot() throws Exception {
        Path version = installed("pom.xml", "gateway/target");
        Path real = version.toRealPath();
        assertThat(run(version.resolve("sigma")))
                .isEqualTo("sigma: the gateway has to be built (no jar at " + real + "/gateway/target), and "
                        + System.getProperty("user.name") + " can't write " + real + "/gateway/target.\n"
                        + "sigma: Have one build who can: " + real + "/sigma version\n1");
    }
}
