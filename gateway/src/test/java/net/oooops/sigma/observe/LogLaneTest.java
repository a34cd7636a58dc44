package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LogLaneTest {
    private static final byte[] LINE = {'a', '\n'};
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** A Worker that finds room at the moment at which it is made doesn't make a chunk of its own for it. */
    @Test
    void whereThereIsRoomForALineThereIsTheChunkForIt() throws InterruptedException {
        LogLane lane = new LogLane(1);
        Thread writer = Thread.ofPlatform().daemon().start(() -> write(lane));
        long began = System.nanoTime();
        long lines = 0;
        while (System.nanoTime() - began < NANOS) {
            if (lane.isOpenForLine()) {
                assertThat(lane.append(LINE, LINE.length)).isTrue();
                lane.handOver();
                lines++;
            }
        }
        lane.close();
        writer.join();

        assertThat(lines).isPositive();
        assertThat(lane.chunksMade()).as("of " + lines + " lines").isEqualTo(1);
    }

    private static void write(LogLane lane) {
        while (!lane.isLeft()) {
            LogLane.Chunk chunk = lane.next();
            if (chunk != null) {
                lane.written(chunk);
            }
        }
    }
}
