package net.oooops.sigma.plugins.compression.coding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.Needed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the system's zlib holds of memory. */
@Isolated("memory of the whole process")
class GzipMemoryTest {
    private static final Path STATUS = Path.of("/proc/self/status");

    @BeforeEach
    void systemHasZlib() {
        Needed.here(Zlib.whyNot() == null, "the system's zlib (Debian: zlib1g): " + Zlib.whyNot());
    }

    /** Each holds some 0.3 MiB: so many that aren't given back would be seen. */
    @Test
    void whatIsClosedHoldsNothing() throws IOException {
        Needed.here(Files.exists(STATUS), "memory by /proc (Linux)");
        many(100);
        long before = residentBytes();
        many(6000);
        assertThat(residentBytes() - before).isLessThan(600L << 20);
    }

    private static void many(int count) {
        for (int i = 0; i < count; i++) {
            Coder coder = new ZlibDeflate(GzipPackerTest.usual());
            Deflates.stepped(
                    coder, GzipPackerTest.direct(GzipPackerTest.TEXT), Coder.Until.FLUSHED, GzipPackerTest.OUT_BYTES);
            coder.close();
        }
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        throw new AssertionError("no VmRSS in " + STATUS);
    }
}
