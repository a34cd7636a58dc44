package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.remoting.rpc.RpcClient;
import com.alipay.remoting.rpc.RpcResponseFuture;
import com.alipay.remoting.rpc.exception.InvokeServerBusyException;
import com.alipay.remoting.rpc.exception.InvokeServerException;
import com.alipay.remoting.rpc.exception.InvokeTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of call that SOFABolt's client has, in every form of its frames. */
class SofaBoltCallsTest {
    private static final int TIMEOUT_MILLIS = 5_000;

    @TempDir
    private static Path folder;

    @AutoClose
    private static Node node;

    @AutoClose
    private static Sigma sigma;

    @AutoClose("shutdown")
    private final RpcClient client = new RpcClient();

    @BeforeAll
    static void start() {
        node = Node.bolt(folder, "node");
        sigma = Sigma.run(folder, SigmaJson.everyMode(node));
    }

    @BeforeEach
    void startClient() {
        client.startup();
    }

    static Stream<Arguments> ways() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of(WireForm.values()).map(form -> Arguments.of(mode, form)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aCallThatWaitsGetsItsAnswer(Mode mode, WireForm form) throws Exception {
        long before = node.count(form.journalLine());
        for (int i = 0; i < 20; i++) {
            String text = unique("sync", mode, form, i);
            assertThat(client.invokeSync(address(mode, form), Ask.of(text), form.context(), TIMEOUT_MILLIS))
                    .isEqualTo(node.answer(text));
        }
        assertThat(node.count(form.journalLine()) - before).isEqualTo(20);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void callsInFlightTogetherGetTheirOwnAnswersInAnyOrder(Mode mode, WireForm form) throws Exception {
        List<RpcResponseFuture> futures = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            // The later it is asked, the sooner it is answered.
            Ask ask = Ask.after(5 * (50 - i), unique("future", mode, form, i));
            futures.add(client.invokeWithFuture(address(mode, form), ask, form.context(), TIMEOUT_MILLIS));
        }
        for (int i = 0; i < futures.size(); i++) {
            assertThat(futures.get(i).get(TIMEOUT_MILLIS)).isEqualTo(node.answer(unique("future", mode, form, i)));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aCallbackIsCalledOnce(Mode mode, WireForm form) throws Exception {
        List<Answers> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(new Answers());
            Ask ask = Ask.of(unique("callback", mode, form, i));
            client.invokeWithCallback(address(mode, form), ask, form.context(), answers.getLast(), TIMEOUT_MILLIS);
        }
        for (Answers each : answers) {
            each.await();
        }
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i).all()).containsExactly(node.answer(unique("callback", mode, form, i)));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aOneWayCallArrivesOnce(Mode mode, WireForm form) throws Exception {
        String text = unique("one-way", mode, form, 0);
        client.oneway(address(mode, form), Ask.of(text), form.context());
        Await.until("arrived", () -> node.calls().contains(text));
        // The connection goes on, and no answer of the one-way call stands in the way of the next.
        String next = unique("one-way", mode, form, 1);
        assertThat(client.invokeSync(address(mode, form), Ask.of(next), form.context(), TIMEOUT_MILLIS))
                .isEqualTo(node.answer(next));
        assertThat(node.calls()).containsOnlyOnce(text);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aLargeCallAndItsAnswerComeWhole(Mode mode, WireForm form) throws Exception {
        String text = unique("large", mode, form, 0) + "0123456789abcdef".repeat(128 * 1024);
        assertThat(client.invokeSync(address(mode, form), Ask.of(text), form.context(), TIMEOUT_MILLIS))
                .isEqualTo(node.answer(text));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anExceptionOfTheNodeComesBackAsItsOwn(Mode mode, WireForm form) {
        String text = unique("failing", mode, form, 0);
        assertThatThrownBy(
                        () -> client.invokeSync(address(mode, form), Ask.failing(text), form.context(), TIMEOUT_MILLIS))
                .isInstanceOf(InvokeServerException.class)
                .hasStackTraceContaining(text);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theNodesBusyAnswerIsSeenAsSuch(Mode mode, WireForm form) {
        assertThatThrownBy(() -> client.invokeSync(address(mode, form), new BusyAsk(), form.context(), TIMEOUT_MILLIS))
                .isInstanceOf(InvokeServerBusyException.class);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anAnswerThatComesTooLateIsATimeoutAndNobodyElsesAnswer(Mode mode, WireForm form) throws Exception {
        String late = unique("late", mode, form, 0);
        assertThatThrownBy(() -> client.invokeSync(address(mode, form), Ask.after(300, late), form.context(), 100))
                .isInstanceOf(InvokeTimeoutException.class);
        String next = unique("late", mode, form, 1);
        assertThat(client.invokeSync(address(mode, form), Ask.after(300, next), form.context(), TIMEOUT_MILLIS))
                .isEqualTo(node.answer(next));
    }

    private static String address(Mode mode, WireForm form) {
        return form.address(sigma.port(mode.id()), 1);
    }

    private static String unique(String kind, Mode mode, WireForm form, int number) {
        return kind + "-" + mode + "-" + form + "-" + number;
    }
}
