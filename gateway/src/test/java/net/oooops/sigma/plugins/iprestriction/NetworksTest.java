package net.oooops.sigma.plugins.iprestriction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworksTest {
    private static final IpAddress LAST = new IpAddress(-1, -1, true);

    private static Networks networks(String... blocks) {
        List<Cidr> all = new ArrayList<>();
        for (String block : blocks) {
            all.add(Cidr.parse(block));
        }
        return Networks.of(all);
    }

    private static IpAddress address(String text) {
        IpAddress address = IpAddress.parse(text);
        assertThat(address).as(text).isNotNull();
        return address == null ? LAST : address;
    }

    private static boolean linear(List<Cidr> blocks, IpAddress address) {
        return blocks.stream().anyMatch(block -> block.contains(address));
    }

    private static Cidr block(SplittableRandom random, boolean ipv6, int bitsMin) {
        if (!ipv6) {
            int bits = random.nextInt(bitsMin, 33);
            long mask = bits == 0 ? 0 : 0xffff_ffffL << (32 - bits) & 0xffff_ffffL;
            return new Cidr(0, random.nextLong() & mask, bits, false);
        }
        int bits = random.nextInt(bitsMin, 129);
        long high = bits == 0 ? 0 : random.nextLong() & (-1L << (64 - Math.min(64, bits)));
        long low = bits <= 64 ? 0 : random.nextLong() & (-1L << (128 - bits));
        return new Cidr(high, low, bits, true);
    }

    /** At the edges of a block, where a mistake of one would be seen. */
    private static List<IpAddress> around(Cidr block) {
        List<IpAddress> around = new ArrayList<>();
        if (!block.ipv6()) {
            long last = block.low() | (0xffff_ffffL >>> block.prefixBits());
            for (long each : new long[] {block.low() - 1, block.low(), last, last + 1}) {
                around.add(new IpAddress(0, each & 0xffff_ffffL, false));
            }
            return around;
        }
        int bits = block.prefixBits();
        long lastHigh = bits >= 64 ? block.high() : block.high() | (-1L >>> bits);
        long lastLow = bits == 128 ? block.low() : block.low() | (bits <= 64 ? -1L : -1L >>> (bits - 64));
        around.add(new IpAddress(block.high(), block.low(), true));
        around.add(new IpAddress(lastHigh, lastLow, true));
        around.add(new IpAddress(block.low() == 0 ? block.high() - 1 : block.high(), block.low() - 1, true));
        around.add(new IpAddress(lastLow == -1 ? lastHigh + 1 : lastHigh, lastLow + 1, true));
        return around;
    }

    /** Wide blocks that overlap, narrow ones that don't, few and many. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 16, 24, 31})
    void knowsTheSameAsWhoAsksOneAfterTheOther(int bitsMin) {
        SplittableRandom random = new SplittableRandom(bitsMin);
        for (int round = 0; round < 60; round++) {
            List<Cidr> blocks = new ArrayList<>();
            int count = random.nextInt(0, 60);
            for (int i = 0; i < count; i++) {
                blocks.add(block(random, random.nextBoolean(), bitsMin));
            }
            Networks networks = Networks.of(blocks);
            List<IpAddress> asked = new ArrayList<>();
            blocks.forEach(block -> asked.addAll(around(block)));
            for (int i = 0; i < 20; i++) {
                asked.add(new IpAddress(0, random.nextLong() & 0xffff_ffffL, false));
                asked.add(new IpAddress(random.nextLong(), random.nextLong(), true));
            }
            for (IpAddress address : asked) {
                assertThat(networks.contains(address))
                        .as("%s in %s", address.text(), blocks)
                        .isEqualTo(linear(blocks, address));
            }
        }
    }

    @Test
    void theFirstAndTheLastAddressesAreAddressesToo() {
        Networks ends = networks("0.0.0.0", "255.255.255.255", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        for (String in : List.of("0.0.0.0", "255.255.255.255", "::", LAST.text())) {
            assertThat(ends.contains(address(in))).as(in).isTrue();
        }
        for (String out : List.of("0.0.0.1", "255.255.255.254", "::1", "ffff::", "7fff::", "8000::")) {
            assertThat(ends.contains(address(out))).as(out).isFalse();
        }
        Networks all = networks("0.0.0.0/0", "::/0", "ffff::/16", "10.0.0.0/8");
        for (String in : List.of("0.0.0.0", "255.255.255.255", "::", "8000::", LAST.text())) {
            assertThat(all.contains(address(in))).as(in).isTrue();
        }
    }

    @Test
    void oneFamilySaysNothingOfTheOther() {
        assertThat(networks("0.0.0.0/0").contains(address("::"))).isFalse();
        assertThat(networks("::/0").contains(address("0.0.0.0"))).isFalse();
        assertThat(networks("::/0").isEmpty()).isFalse();
        assertThat(networks().isEmpty()).isTrue();
    }

    @Test
    void aHundredThousandAreAskedAtOnce() {
        List<Cidr> blocks = new ArrayList<>();
        for (long i = 0; i < 100_000; i++) {
            blocks.add(new Cidr(0, i << 9, 24, false));
        }
        Networks networks = Networks.of(blocks);
        for (long i = 0; i < 100_000; i++) {
            assertThat(networks.contains(new IpAddress(0, i << 9 | 255, false))).isTrue();
            assertThat(networks.contains(new IpAddress(0, i << 9 | 256, false))).isFalse();
        }
    }
}
