package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefixCutTest {
    @ParameterizedTest
    @CsvSource({
        "/orders, /orders/list, /list",
        "/orders, /orders, /",
        "/orders, /orders/, /",
        "/orders, /ordersystem/a, /ordersystem/a",
        "/orders, /elsewhere, /elsewhere",
        "/orders, /orders/a;b/c, /a;b/c",
        "/a/b, /a/b/c/d, /c/d",
        "/a/b, /a, /a",
        "/a/b, /a/c/b, /a/c/b",
        "/t/:id/x, /t/7/x/list, /list",
        "/t/:id/x, /t//x/list, /t//x/list",
        "/t/:id/x, /t/7, /t/7",
        "/t/:id/x, /t/7/y/list, /t/7/y/list",
        "/%C3%A4, /%C3%A4/b, /b"
    })
    void cutsWholeSegments(String prefix, String path, String expected) {
        TestExchange exchange = TestExchange.of("GET", path + "?q=/orders");
        new PrefixCut(prefix).onRequest(exchange);
        assertThat(exchange.request().path()).isEqualTo(expected);
        assertThat(exchange.request().query()).isEqualTo("q=/orders");
    }

    /** Who judges the path before would see it, and the node wouldn't. */
    @ParameterizedTest
    @CsvSource({
        "/orders, /orders;v=1/list",
        "/orders, /orders;v=1",
        "/orders, /orders;/list",
        "/t/:id/x, /t/7;v=1/x/list",
        "/t/:id/x, /t/7/x;w/list"
    })
    void parametersThatWouldBeCutOffAreRefused(String prefix, String path) {
        TestExchange exchange = TestExchange.of("GET", path);
        assertThat(new PrefixCut(prefix).onRequest(exchange)).isEqualTo(Outcome.refuse(Fault.REWRITE_REFUSED));
        assertThat(exchange.request().path()).isEqualTo(path);
    }

    @Test
    void aPlainPrefixAllocatesNothing() {
        PrefixCut cut = new PrefixCut("/test");
        CountingExchange exchange = new CountingExchange("/test/a/b");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        call(cut, exchange);
        long before = threads.getCurrentThreadAllocatedBytes();
        call(cut, exchange);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20_000);
    }

    private static void call(PrefixCut cut, CountingExchange exchange) {
        for (int i = 0; i < 100_000; i++) {
            cut.onRequest(exchange);
        }
    }
}
