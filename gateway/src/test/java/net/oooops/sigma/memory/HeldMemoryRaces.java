package net.oooops.sigma.memory;

import static net.oooops.sigma.races.AtOnce.require;

import net.oooops.sigma.memory.HeldMemory.Holders;
import net.oooops.sigma.memory.HeldMemory.Total;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;

/** Several Workers hold more than there may be, together. */
final class HeldMemoryRaces {
    private static final int WORKERS = 3;
    private static final long MOST = 3 << 20;

    /** What one Worker holds. */
    private static final class Worker implements Holders {
        private final HeldMemory memory;
        private long held;
        private long givenUp;

        Worker(Total total, int number) {
            memory = new HeldMemory(total, number, this);
        }

        @Override
        public long heldBytes() {
            return held;
        }

        @Override
        public void giveUp(long bytes) {
            require(bytes > 0, "something to give up: " + bytes);
            long given = Math.min(held, bytes);
            held -= given;
            givenUp += given;
        }

        void receive(int bytes, int times) {
            for (int i = 0; i < times; i++) {
                held += bytes;
                memory.received(bytes);
            }
        }

        void end() {
            held = 0;
            memory.tick();
            memory.tick();
        }
    }

    private HeldMemoryRaces() {}

    /** However they receive, two ticks later they hold no more than there may be, but for what nobody has looked at; and when all is gone there is room again. */
    @Race
    static void allTogetherHoldNoMoreThanMay() {
        Total total = new Total(WORKERS, MOST);
        Worker[] workers = {new Worker(total, 0), new Worker(total, 1), new Worker(total, 2)};
        AtOnce.run(
                () -> workers[0].receive(1 << 19, 8),
                () -> workers[1].receive(1 << 19, 8),
                () -> workers[2].receive(1 << 17, 2));
        // A Worker learns with the next one what others wrote down with this one.
        for (int i = 0; i < 2; i++) {
            for (Worker each : workers) {
                each.memory.tick();
            }
        }
        // What the third one has is less than it is looked at for.
        long held = workers[0].held + workers[1].held;
        require(held <= MOST, "3 MiB at most: " + held);
        require(workers[2].givenUp == 0, "who holds little gives up nothing: " + workers[2].givenUp);
        AtOnce.run(workers[0]::end, workers[1]::end, workers[2]::end);
        for (Worker each : workers) {
            each.memory.tick();
            require(!each.memory.isNearlyFull(), "room again");
        }
    }
}
