package net.oooops.sigma.lab.jmh;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.route.HostName;
import net.oooops.sigma.route.PathNormalizer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What every request pays to be sure of its path and host, and what a path pays that has to be normalised. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class PathNormalizerBenchmark {

    /** What is looked at. */
    public enum Path {
        SHORT("/test/a"),
        LONG("/api/v1/customers/1234567890/orders/20260101/items/42/attachments"),
        ENCODED("/caf%c3%a9/%7Euser/a/./b/../c%20d");

        private final String text;

        Path(String text) {
            this.text = text;
        }
    }

    @Param
    private Path path = Path.SHORT;

    private final byte[] host = "www.example.com:8080".getBytes(US_ASCII);
    private final PathNormalizer normalizer = new PathNormalizer();
    private byte[] bytes = {};

    @Setup
    public void encode() {
        bytes = path.text.getBytes(US_ASCII);
    }

    @Benchmark
    public boolean isPlain() {
        return PathNormalizer.isPlain(bytes, 0, bytes.length);
    }

    @Benchmark
    public int normalize() {
        return normalizer.normalize(bytes, 0, bytes.length);
    }

    /** The same for every path. */
    @Benchmark
    public long host() {
        return HostName.parse(host, 0, host.length);
    }
}
