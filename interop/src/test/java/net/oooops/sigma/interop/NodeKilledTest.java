package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.remoting.rpc.RpcClient;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node dies under load: every call ends, with its own answer or an exception, and the other node takes what comes. */
@Isolated("answers within the time of a call")
class NodeKilledTest {
    private static final int CALLERS = 200;
    private static final int CONNECTIONS = 8;
    private static final int ANSWERS_BEFORE = 2_000;
    private static final int ANSWERS_AFTER = 2_000;
    private static final int CALLS_IN_QUIET = 100;
    private static final int TIMEOUT_MILLIS = 8_000;

    @TempDir
    private Path folder;

    @AutoClose("shutdown")
    private final RpcClient client = new RpcClient();

    private StrayAnswers strays;

    @BeforeEach
    void startClient() {
        client.startup();
        strays = StrayAnswers.counted();
    }

    @ParameterizedTest
    @EnumSource
    void underCallersOfSofaBolt(Mode mode) throws Exception {
        try (Node dying = Node.bolt(folder, "dying");
                Node living = Node.bolt(folder, "living");
                Sigma sigma = Sigma.run(folder, SigmaJson.everyMode(dying, living))) {
            WireForm form = WireForm.V2_CRC;
            String address = form.address(sigma.port(mode.id()), CONNECTIONS);
            killed(
                    mode,
                    dying,
                    living,
                    text -> client.invokeSync(address, Ask.of(text), form.context(), TIMEOUT_MILLIS));
            assertThat(strays.count(sigma.port(mode.id())))
                    .as("answers that nobody waited for")
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void underCallersOfSofaRpc(Mode mode) throws Exception {
        try (Node dying = Node.sofa(folder, "dying");
                Node living = Node.sofa(folder, "living");
                Sigma sigma = Sigma.run(folder, SigmaJson.everyMode(dying, living));
                GreeterClient greeter = GreeterClient.sync(sigma.port(mode.id()), TIMEOUT_MILLIS)) {
            killed(mode, dying, living, greeter.greeter()::greet);
            assertThat(strays.count(sigma.port(mode.id())))
                    .as("answers that nobody waited for")
                    .isZero();
        }
    }

    private void killed(Mode mode, Node dying, Node living, Callers.Call call) throws Exception {
        List<Callers.Outcome> outcomes;
        try (Callers callers = Callers.start(CALLERS, call)) {
            callers.awaitAnswers(ANSWERS_BEFORE);
            dying.kill();
            callers.awaitAnswers(ANSWERS_AFTER);
            outcomes = callers.finish();
        }
        Map<String, String> takenBy = takenOnce(dying, living);
        for (Callers.Outcome outcome : outcomes) {
            if (outcome.failure() == null) {
                assertThat(outcome.answer())
                        .isEqualTo(Ask.answer(takenBy.getOrDefault(outcome.text(), "no node"), outcome.text()));
            }
            // Whoever lost its node learns of it by the connection's end, not by waiting for its timeout.
            assertThat(outcome.millis()).as(outcome.toString()).isLessThan(TIMEOUT_MILLIS);
        }
        if (mode == Mode.ROUTE) {
            // Of each caller the one call that was with the dying node; those of a relay also while the client opens
            // its connections again.
            assertThat(outcomes.stream().filter(outcome -> outcome.failure() != null))
                    .hasSizeLessThanOrEqualTo(CALLERS);
        }
        assertThat(dying.calls()).as("calls that the dying node took").isNotEmpty();
        assertThat(living.calls()).hasSizeGreaterThan(ANSWERS_AFTER / 2);
        for (int i = 0; i < CALLS_IN_QUIET; i++) {
            assertThat(call.of("quiet-" + i)).isEqualTo(living.answer("quiet-" + i));
        }
    }

    /** Which node took each call; fails where one was taken twice. */
    private static Map<String, String> takenOnce(Node... nodes) {
        Map<String, String> takenBy = new HashMap<>();
        for (Node node : nodes) {
            for (String text : node.calls()) {
                assertThat(takenBy.put(text, node.name()))
                        .as(text + " was taken before by")
                        .isNull();
            }
        }
        return takenBy;
    }
}
