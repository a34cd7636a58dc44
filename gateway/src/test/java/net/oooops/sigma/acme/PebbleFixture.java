package net.oooops.sigma.acme;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An issuer that isn't started yet, and the folder of a gateway that asks it. */
@SuppressWarnings("NullAway.Init")
abstract class PebbleFixture {
    static final String HOST = "a.sigma.test";
    static final long QUARTER_SECONDS = Duration.ofDays(90).toSeconds();

    @TempDir
    Path dir;

    Path folder;

    final Pebble.Gates gates = Pebble.Gates.free();

    Pebble pebble;

    @BeforeAll
    static void needed() {
        Pebble.needed();
    }

    @BeforeEach
    void prepare() {
        folder = dir.resolve("acme");
        pebble = new Pebble(dir, gates, QUARTER_SECONDS);
    }

    @AfterEach
    void end() {
        pebble.close();
    }
}
