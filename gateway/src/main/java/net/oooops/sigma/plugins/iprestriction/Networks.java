package net.oooops.sigma.plugins.iprestriction;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.IpAddress;

/**
 * Blocks of addresses, however many, to be asked for one at the price of a binary search. Blocks that overlap or adjoin are one range here.
 * Immutable; asking allocates nothing.
 */
final class Networks {
    private static final long V4_MASK = 0xffff_ffffL;

    /** A range of IPv6 addresses, both ends included, as unsigned numbers. */
    private record Range(long firstHigh, long firstLow, long lastHigh, long lastLow) {
        static final Comparator<Range> ORDER = (a, b) -> compare(a.firstHigh, a.firstLow, b.firstHigh, b.firstLow);

        static Range of(Cidr block) {
            int hostBits = 128 - block.prefixBits();
            return new Range(
                    block.high(), block.low(), block.high() | lowOnes(hostBits - 64), block.low() | lowOnes(hostBits));
        }

        /** Whether one that begins not before this one begins in it or right behind it. */
        boolean reaches(Range next) {
            long behindLow = lastLow + 1;
            long behindHigh = behindLow == 0 ? lastHigh + 1 : lastHigh;
            boolean isTheLast = behindLow == 0 && behindHigh == 0;
            return isTheLast || compare(next.firstHigh, next.firstLow, behindHigh, behindLow) <= 0;
        }

        Range with(Range next) {
            boolean isFurther = compare(next.lastHigh, next.lastLow, lastHigh, lastLow) > 0;
            return new Range(
                    firstHigh, firstLow, isFurther ? next.lastHigh : lastHigh, isFurther ? next.lastLow : lastLow);
        }
    }

    private final boolean isEmpty;
    /** The first address of each range of IPv4, ascending. */
    private final long[] v4First;
    /** The last one of each. */
    private final long[] v4Last;
    /** Of each range of IPv6 four numbers: its first address, high and low, and its last one. */
    private final long[] v6;

    private Networks(boolean isEmpty, List<Range> v4, List<Range> v6) {
        this.isEmpty = isEmpty;
        this.v4First = v4.stream().mapToLong(Range::firstLow).toArray();
        this.v4Last = v4.stream().mapToLong(Range::lastLow).toArray();
        this.v6 = new long[v6.size() * 4];
        for (int i = 0; i < v6.size(); i++) {
            Range range = v6.get(i);
            this.v6[4 * i] = range.firstHigh;
            this.v6[4 * i + 1] = range.firstLow;
            this.v6[4 * i + 2] = range.lastHigh;
            this.v6[4 * i + 3] = range.lastLow;
        }
    }

    /** These blocks. */
    static Networks of(List<Cidr> blocks) {
        List<Range> v4 = new ArrayList<>();
        List<Range> v6 = new ArrayList<>();
        for (Cidr block : blocks) {
            if (block.ipv6()) {
                v6.add(Range.of(block));
            } else {
                v4.add(new Range(0, block.low(), 0, block.low() | (V4_MASK >>> block.prefixBits())));
            }
        }
        return new Networks(blocks.isEmpty(), merged(v4), merged(v6));
    }

    private static List<Range> merged(List<Range> ranges) {
        ranges.sort(Range.ORDER);
        List<Range> merged = new ArrayList<>();
        for (Range range : ranges) {
            if (!merged.isEmpty() && merged.getLast().reaches(range)) {
                merged.set(merged.size() - 1, merged.getLast().with(range));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }

    private static long lowOnes(int bits) {
        if (bits <= 0) {
            return 0;
        }
        return bits >= 64 ? -1L : (1L << bits) - 1;
    }

    private static int compare(long high, long low, long otherHigh, long otherLow) {
        return high == otherHigh ? Long.compareUnsigned(low, otherLow) : Long.compareUnsigned(high, otherHigh);
    }

    boolean isEmpty() {
        return isEmpty;
    }

    /** Whether one of the blocks has that address. */
    boolean contains(IpAddress address) {
        return address.ipv6() ? containsV6(address.high(), address.low()) : containsV4(address.low());
    }

    private boolean containsV4(long address) {
        int at = Arrays.binarySearch(v4First, address);
        // Else the last range that begins before it, if there is one.
        int range = at >= 0 ? at : -at - 2;
        return range >= 0 && address <= v4Last[range];
    }

    private boolean containsV6(long high, long low) {
        int from = 0;
        int to = v6.length / 4;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (compare(v6[4 * middle], v6[4 * middle + 1], high, low) <= 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        int last = 4 * (from - 1);
        return last >= 0 && compare(high, low, v6[last + 2], v6[last + 3]) <= 0;
    }
}
