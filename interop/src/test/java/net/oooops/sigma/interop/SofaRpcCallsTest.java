package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.rpc.context.RpcInvokeContext;
import com.alipay.sofa.rpc.core.exception.SofaTimeOutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of an interface with SOFARPC: its own client, its own server, found by address and without a registry. */
class SofaRpcCallsTest {
    private static final int TIMEOUT_MILLIS = 5_000;

    @TempDir
    private static Path folder;

    @AutoClose
    private static Node node;

    @AutoClose
    private static Sigma sigma;

    @BeforeAll
    static void start() {
        node = Node.sofa(folder, "node");
        sigma = Sigma.run(folder, SigmaJson.everyMode(node));
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatWaitsGetsItsAnswer(Mode mode) {
        try (GreeterClient client = GreeterClient.sync(port(mode), TIMEOUT_MILLIS)) {
            for (int i = 0; i < 50; i++) {
                String text = unique("sync", mode, i);
                assertThat(client.greeter().greet(text)).isEqualTo(node.answer(text));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void futuresGetTheirOwnAnswersInAnyOrder(Mode mode) throws Exception {
        try (GreeterClient client = GreeterClient.future(port(mode), TIMEOUT_MILLIS)) {
            List<Future<Object>> futures = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                assertThat(client.greeter().greetAfter(5 * (50 - i), unique("future", mode, i)))
                        .isNull();
                futures.add(RpcInvokeContext.getContext().getFuture());
            }
            for (int i = 0; i < futures.size(); i++) {
                assertThat(futures.get(i).get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS))
                        .isEqualTo(node.answer(unique("future", mode, i)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCallbackIsCalledOnce(Mode mode) throws Exception {
        Answers answers = new Answers();
        try (GreeterClient client = GreeterClient.callback(port(mode), TIMEOUT_MILLIS, answers)) {
            String text = unique("callback", mode, 0);
            client.greeter().greet(text);
            assertThat(answers.await()).isEqualTo(node.answer(text));
            assertThat(answers.all()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aOneWayCallArrivesOnce(Mode mode) {
        try (GreeterClient client = GreeterClient.oneWay(port(mode), TIMEOUT_MILLIS)) {
            String text = unique("one-way", mode, 0);
            assertThat(client.greeter().greet(text)).isNull();
            Await.until("arrived", () -> node.calls().contains(text));
            assertThat(node.calls()).containsOnlyOnce(text);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDeclaredExceptionComesBackAsItself(Mode mode) {
        try (GreeterClient client = GreeterClient.sync(port(mode), TIMEOUT_MILLIS)) {
            String text = unique("refused", mode, 0);
            assertThatThrownBy(() -> client.greeter().refuse(text))
                    .isInstanceOf(GreetingRefused.class)
                    .hasMessage(text);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerThatComesTooLateIsATimeoutAndNobodyElsesAnswer(Mode mode) {
        try (GreeterClient client = GreeterClient.sync(port(mode), 700)) {
            assertThatThrownBy(() -> client.greeter().greetAfter(1_500, unique("late", mode, 0)))
                    .isInstanceOf(SofaTimeOutException.class);
            for (int i = 1; i < 10; i++) {
                String text = unique("late", mode, i);
                assertThat(client.greeter().greetAfter(100, text)).isEqualTo(node.answer(text));
            }
        }
    }

    private static int port(Mode mode) {
        return sigma.port(mode.id());
    }

    private static String unique(String kind, Mode mode, int number) {
        return kind + "-" + mode + "-" + number;
    }
}
