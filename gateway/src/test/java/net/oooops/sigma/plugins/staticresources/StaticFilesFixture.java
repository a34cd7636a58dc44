package net.oooops.sigma.plugins.staticresources;

import java.io.IOException;
import java.nio.file.Path;
import net.oooops.sigma.OpenFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder with files, of which none is left open. */
@SuppressWarnings("NullAway.Init")
abstract class StaticFilesFixture {
    @TempDir
    Path folder;

    StaticFiles files;

    @BeforeEach
    void make() throws IOException {
        files = new StaticFiles(folder);
    }

    @AfterEach
    void nothingStaysOpen() {
        OpenFiles.none(folder);
    }
}
