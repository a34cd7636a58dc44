package net.oooops.sigma.memory;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What a Worker may hold of messages that go on whole or not at all. Reading them slowly frees nothing: where all Workers hold more than there
 * may be, each that has more than its share gives up what is largest until half of that is free.
 *
 * <p>How much is held is looked at each time that about as much was received as there was room for, so receiving costs an addition.
 *
 * <p>One for each Worker and kind of message; called on its event loop only.
 */
public final class HeldMemory {
    private static final int LOOKS = 8;
    /** Looking more often would cost more than it bounds. */
    private static final long BETWEEN_LOOKS_MIN = 64 << 10;

    /** What all Workers hold of one kind, as each saw it last. Any thread. */
    public static final class Total {
        private final AtomicLongArray held;
        private final long bytesMax;

        /**
         * Nothing yet.
         *
         * @param workers how many hold
         * @param bytesMax how much they may hold
         */
        public Total(int workers, long bytesMax) {
            this.held = new AtomicLongArray(workers);
            this.bytesMax = bytesMax;
        }

        private long with(int worker, long bytes) {
            held.set(worker, bytes);
            long all = 0;
            for (int i = 0; i < held.length(); i++) {
                all += held.get(i);
            }
            return all;
        }

        private long share() {
            return bytesMax / held.length();
        }
    }

    /** Who holds it on this Worker. */
    public interface Holders {
        /** How much they hold now. */
        long heldBytes();

        /** So much is to be given up, or as much as can be. */
        void giveUp(long bytes);
    }

    private final Total total;
    private final int worker;
    private final Holders holders;
    private long own;
    private long all;
    private long untilLook;
    private boolean looking;

    /** Of a Worker, by its number, that holds nothing yet. */
    public HeldMemory(Total total, int worker, Holders holders) {
        this.total = total;
        this.worker = worker;
        this.holders = holders;
        this.untilLook = total.share();
    }

    /** So many bytes were received. May have holders give up what they hold. */
    public void received(int bytes) {
        untilLook -= bytes;
        if (untilLook <= 0 && !looking) {
            look();
        }
    }

    /** So many bytes were received, at a moment at which nobody can give up anything. */
    public void counted(int bytes) {
        untilLook -= bytes;
    }

    /** Time has passed: what was held may have gone, though nothing was received since. */
    public void tick() {
        if (untilLook <= 0 || own > total.share() / LOOKS) {
            look();
        }
    }

    private void look() {
        looking = true;
        try {
            own = holders.heldBytes();
            all = total.with(worker, own);
            if (all > total.bytesMax && own > total.share()) {
                holders.giveUp(own - shareHalf());
                own = holders.heldBytes();
                all = total.with(worker, own);
            }
            long room = Math.max(total.bytesMax / LOOKS, total.bytesMax - all) / total.held.length();
            untilLook = Math.max(BETWEEN_LOOKS_MIN, room);
        } finally {
            looking = false;
        }
    }

    /** Whether seven eighths of all there may be were held. */
    public boolean isNearlyFull() {
        return all > total.bytesMax - total.bytesMax / LOOKS;
    }

    /** Half of this Worker's share. */
    public long shareHalf() {
        return total.share() / 2;
    }
}
