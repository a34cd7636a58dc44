package net.oooops.sigma.route;

import static net.oooops.sigma.route.TestRequest.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RouteTableAllocationTest {
    private static final int MATCHES = 1_000;

    @Test
    void aMatchAllocatesNothing() {
        List<RouteRule<Integer>> rules = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rules.add(RouteRule.plain("e" + i, null, "/exact/" + i + "/path", i));
            rules.add(RouteRule.plain("p" + i, "www.example.com", "/prefix/" + i + "/*", i));
            rules.add(new RouteRule<>(
                    "v" + i,
                    "*.example.com",
                    "/:a/" + i + "/:b",
                    List.of("PUT", "GET"),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    i));
        }
        RouteTable<Integer> table = RouteTable.of(rules);
        assertAllocatesNothing(table, get("/exact/50/path").host("other.org"));
        assertAllocatesNothing(table, get("/prefix/50/and/more/of/it").host("WWW.example.com"));
        assertAllocatesNothing(table, get("/x/50/y").host("api.example.com"));
    }

    private static void assertAllocatesNothing(RouteTable<Integer> table, RouteQuery request) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        RouteMatch<Integer> match = new RouteMatch<>();
        table.match(request, match);
        assertThat(match.target()).isEqualTo(50);
        threads.getCurrentThreadAllocatedBytes();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < MATCHES; i++) {
            table.match(request, match);
        }
        // Less than a byte each: the measuring itself may cost a few.
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MATCHES);
    }
}
