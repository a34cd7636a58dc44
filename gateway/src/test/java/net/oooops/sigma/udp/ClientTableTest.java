package net.oooops.sigma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClientTableTest {
    private static final long SEED = System.nanoTime();

    private final ClientTable<String> table = new ClientTable<>();

    private static InetSocketAddress client(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    @Test
    void aClientIsItsAddressAndItsPort() throws Exception {
        table.add(client("10.0.0.1", 5), "a");
        table.add(client("10.0.0.1", 6), "b");
        table.add(client("2001:db8::1", 5), "c");
        assertThat(table.find(client("10.0.0.1", 5))).isEqualTo("a");
        assertThat(table.find(client("10.0.0.1", 6))).isEqualTo("b");
        assertThat(table.find(client("2001:db8::1", 5))).isEqualTo("c");
        assertThat(table.find(client("10.0.0.2", 5))).isNull();
        assertThat(table.find(client("2001:db8::1", 6))).isNull();
    }

    @Test
    void itIsWhatAMapWouldBe() throws Exception {
        Random random = new Random(SEED);
        Map<InetSocketAddress, String> map = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            InetSocketAddress client = random.nextBoolean()
                    ? client("10.0." + random.nextInt(4) + "." + random.nextInt(40), random.nextInt(8))
                    : client("2001:db8::" + Integer.toHexString(random.nextInt(200)), random.nextInt(8));
            assertThat(table.find(client)).as("seed " + SEED).isEqualTo(map.get(client));
            if (map.containsKey(client) || random.nextInt(3) == 0) {
                table.remove(client);
                map.remove(client);
            } else {
                table.add(client, "session " + i);
                map.put(client, "session " + i);
            }
        }
        assertThat(table.size()).isEqualTo(map.size());
        for (Map.Entry<InetSocketAddress, String> entry : List.copyOf(map.entrySet())) {
            assertThat(table.find(entry.getKey())).as("seed " + SEED).isEqualTo(entry.getValue());
            table.remove(entry.getKey());
        }
        assertThat(table.size()).isZero();
    }

    @Test
    void addressesOfOneSumAreFoundQuickly() throws Exception {
        // The hash of Java's own address of IPv6 is a sum of its parts: few of these have another.
        Map<Integer, List<InetSocketAddress>> byHash = new HashMap<>();
        for (int i = 0; i < 300_000; i++) {
            byte[] octets = new byte[16];
            octets[0] = 0x20;
            put(octets, 8, i);
            put(octets, 12, -i);
            InetAddress address = InetAddress.getByAddress(octets);
            byHash.computeIfAbsent(address.hashCode(), hash -> new ArrayList<>())
                    .add(new InetSocketAddress(address, 53));
        }
        List<InetSocketAddress> clients = Collections.max(byHash.values(), Comparator.comparingInt(List::size));
        assertThat(clients).hasSizeGreaterThan(50_000);
        // Of the processor: what else runs on this machine doesn't count.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        for (InetSocketAddress client : clients) {
            table.add(client, "x");
        }
        for (InetSocketAddress client : clients) {
            assertThat(table.find(client)).isEqualTo("x");
        }
        // Each compared with each, it would be billions of comparisons.
        assertThat(threads.getCurrentThreadCpuTime() - start).isLessThan(3_000_000_000L);
    }

    private static void put(byte[] octets, int at, int value) {
        for (int i = 0; i < 4; i++) {
            octets[at + i] = (byte) (value >>> (24 - 8 * i));
        }
    }
}
