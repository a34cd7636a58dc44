package net.oooops.sigma.plugins.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.Needed;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Coders;
import net.oooops.sigma.plugins.compression.coding.Coding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What decoders hold that are kept for the next bodies. */
@Isolated("memory of the whole process")
class SpareDecodersTest {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int COUNT = 24;
    private static final int WINDOW_BYTES = 8 << 20;

    /** As large as may be, and filled. */
    private static byte[] packed() throws IOException {
        byte[] body = new byte[WINDOW_BYTES + 1];
        new Random(1).nextBytes(body);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (ZstdOutputStream out = new ZstdOutputStream(packed, 1)) {
            out.setLong(23);
            out.write(body);
        }
        return packed.toByteArray();
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new IOException("no VmRSS");
    }

    private static void unpack(Coder coder, byte[] packed, ByteBuffer out) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(packed);
        while (!coder.step(in, out.clear(), Coder.Until.FINISHED)) {
            assertThat(out.position()).isPositive();
        }
    }

    @Test
    void largeWindowsArentKept() throws Exception {
        Needed.here(Files.isReadable(STATUS), "/proc");
        assertThat(Coding.ZSTD.load()).isNull();
        byte[] packed = packed();
        ByteBuffer out = ByteBuffer.allocateDirect(64 << 10);
        Coders coders = new Coders(Coding.ZSTD::unpacker);
        List<Coder> taken = new ArrayList<>();
        Coder first = coders.take();
        unpack(first, packed, out);
        long before = residentBytes();
        for (int i = 0; i < COUNT; i++) {
            Coder coder = coders.take();
            unpack(coder, packed, out);
            taken.add(coder);
        }
        long held = residentBytes();
        taken.forEach(coders::give);
        long kept = residentBytes();
        coders.close();
        first.close();
        assertThat(held - before).as("held while they are in use").isGreaterThan(COUNT / 2 * WINDOW_BYTES);
        assertThat(held - kept).as("given back").isGreaterThan(COUNT / 2 * WINDOW_BYTES);
    }
}
