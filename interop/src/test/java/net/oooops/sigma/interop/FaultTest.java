package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.remoting.Connection;
import com.alipay.remoting.exception.ConnectionClosedException;
import com.alipay.remoting.exception.RemotingException;
import com.alipay.remoting.rpc.RpcClient;
import com.alipay.remoting.rpc.RpcResponseFuture;
import com.alipay.remoting.rpc.exception.InvokeException;
import com.alipay.remoting.rpc.exception.InvokeSendFailedException;
import com.alipay.remoting.rpc.exception.InvokeServerBusyException;
import com.alipay.remoting.rpc.exception.InvokeTimeoutException;
import com.alipay.sofa.rpc.core.exception.RpcErrorType;
import com.alipay.sofa.rpc.core.exception.SofaRpcException;
import com.alipay.sofa.rpc.core.exception.SofaTimeOutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong in the gateway or behind it, as the exception that the real client makes of it: at once, never by waiting for its own timeout. */
@Timeout(40)
class FaultTest {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final Duration AT_ONCE = Duration.ofSeconds(4);

    @TempDir
    private static Path folder;

    @AutoClose
    private static Node node;

    @AutoClose
    private static Node sofaNode;

    @AutoClose
    private static Sigma sigma;

    @AutoClose
    private static Sigma sofaSigma;

    @AutoClose("shutdown")
    private final RpcClient client = new RpcClient();

    private long beganNanos;

    @BeforeAll
    static void start() {
        node = Node.bolt(folder, "node");
        sofaNode = Node.sofa(folder, "sofa-node");
        int deadPort = FreePorts.one();
        sigma = Sigma.run(folder, "sigma", SigmaJson.faults(deadPort, node));
        sofaSigma = Sigma.run(folder, "sofa-sigma", SigmaJson.faults(deadPort, sofaNode));
    }

    @BeforeEach
    void startClient() {
        client.startup();
        beganNanos = System.nanoTime();
    }

    @ParameterizedTest
    @EnumSource
    void noRoute(WireForm form) {
        assertThatThrownBy(() -> call("no-route", form, Ask.of("lost")))
                .isExactlyInstanceOf(InvokeException.class)
                .hasMessageContaining("NO_PROCESSOR");
        assertAtOnce();
    }

    @ParameterizedTest
    @EnumSource
    void noNodeUp(WireForm form) {
        assertThatThrownBy(() -> call("no-node", form, Ask.of("lost"))).isInstanceOf(InvokeSendFailedException.class);
        assertAtOnce();
    }

    @Test
    void noNodeUpBehindARelay() {
        // Its connection is closed: before it asks, while it does, or while it waits.
        assertThatThrownBy(() -> call("no-node-relay", WireForm.V1, Ask.of("lost")))
                .isInstanceOf(RemotingException.class)
                .isNotInstanceOf(InvokeTimeoutException.class);
        assertAtOnce();
    }

    @ParameterizedTest
    @EnumSource
    void theGatewaysPatienceIsOver(WireForm form) throws Exception {
        assertThatThrownBy(() -> call("slow", form, Ask.after(2_500, "late")))
                .isInstanceOf(InvokeTimeoutException.class)
                .hasMessageContaining("responseCommand TIMEOUT");
        assertAtOnce();
        // The late answer is nobody's: the next call on the same connections gets its own.
        for (int i = 0; i < 20; i++) {
            assertThat(call("slow", form, Ask.of("next-" + i))).isEqualTo(node.answer("next-" + i));
        }
    }

    @Test
    void moreCallsInFlightThanAreAllowed() throws Exception {
        WireForm form = WireForm.V1;
        List<RpcResponseFuture> futures = new ArrayList<>();
        String address = address("narrow", form);
        for (int i = 0; i < 10; i++) {
            futures.add(client.invokeWithFuture(address, Ask.after(1_500, "n-" + i), form.context(), TIMEOUT_MILLIS));
        }
        int answered = 0;
        for (int i = 0; i < futures.size(); i++) {
            try {
                assertThat(futures.get(i).get(TIMEOUT_MILLIS)).isEqualTo(node.answer("n-" + i));
                answered++;
            } catch (InvokeServerBusyException e) {
                assertThat(e).hasMessageContaining("busy");
            }
        }
        assertThat(answered).isEqualTo(2);
        assertThat(call("narrow", form, Ask.of("again"))).isEqualTo(node.answer("again"));
    }

    @Test
    void theNodeDiesWithCallsInFlight() throws Exception {
        try (Node dying = Node.bolt(folder, "dying");
                Sigma before = Sigma.run(folder, "before", SigmaJson.everyMode(dying))) {
            WireForm form = WireForm.V2_CRC;
            String address = form.address(before.port("route"), 1);
            List<RpcResponseFuture> futures = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Ask ask = Ask.after(TIMEOUT_MILLIS, "lost-" + i);
                futures.add(client.invokeWithFuture(address, ask, form.context(), TIMEOUT_MILLIS));
            }
            Connection connection = client.getConnection(address, TIMEOUT_MILLIS);
            Await.until("all with the node", () -> dying.calls().size() == 20);
            dying.kill();
            long killedNanos = System.nanoTime();
            for (RpcResponseFuture future : futures) {
                assertThatThrownBy(() -> future.get(TIMEOUT_MILLIS)).isInstanceOf(ConnectionClosedException.class);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - killedNanos)).isLessThan(AT_ONCE);
            // It is the node that is gone, not the gateway.
            assertThat(connection.isFine()).isTrue();
            assertThatThrownBy(() -> client.invokeSync(address, Ask.of("lost"), form.context(), TIMEOUT_MILLIS))
                    .isInstanceOf(InvokeSendFailedException.class);
        }
    }

    @Test
    void aOneWayCallToNowhereLeavesTheConnectionAlone() throws Exception {
        String address = address("no-route", WireForm.V2_CRC);
        Connection connection = client.getConnection(address, TIMEOUT_MILLIS);
        client.oneway(address, Ask.of("lost"), WireForm.V2_CRC.context());
        // An answer to the call behind it says that the one before was seen to.
        assertThatThrownBy(() -> call("no-route", WireForm.V2_CRC, Ask.of("lost too")))
                .isInstanceOf(InvokeException.class);
        assertThat(connection.isFine()).isTrue();
        assertThat(node.calls()).doesNotContain("lost", "lost too");
    }

    @Test
    void asSofaRpcSeesThem() {
        assertSofa("no-route", RpcErrorType.CLIENT_UNDECLARED_ERROR, greeter -> greeter.greet("lost"));
        assertSofa("no-node", RpcErrorType.CLIENT_NETWORK, greeter -> greeter.greet("lost"));
        assertSofa("slow", RpcErrorType.CLIENT_TIMEOUT, greeter -> greeter.greetAfter(2_500, "late"));
        assertAtOnce();
        try (GreeterClient client = GreeterClient.sync(sofaSigma.port("slow"), TIMEOUT_MILLIS)) {
            assertThatThrownBy(() -> client.greeter().greetAfter(2_500, "late"))
                    .isInstanceOf(SofaTimeOutException.class);
        }
    }

    private static void assertSofa(String listener, int errorType, Consumer<Greeter> call) {
        try (GreeterClient client = GreeterClient.sync(sofaSigma.port(listener), TIMEOUT_MILLIS)) {
            assertThatThrownBy(() -> call.accept(client.greeter()))
                    .isInstanceOfSatisfying(
                            SofaRpcException.class,
                            e -> assertThat(e.getErrorType()).as(e.toString()).isEqualTo(errorType));
        }
    }

    private Object call(String listener, WireForm form, Ask ask) throws Exception {
        return client.invokeSync(address(listener, form), ask, form.context(), TIMEOUT_MILLIS);
    }

    private static String address(String listener, WireForm form) {
        return form.address(sigma.port(listener), 1);
    }

    private void assertAtOnce() {
        assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isLessThan(AT_ONCE);
    }
}
