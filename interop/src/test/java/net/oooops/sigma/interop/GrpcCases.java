package net.oooops.sigma.interop;

import io.grpc.testing.integration.TestCases;
import io.grpc.testing.integration.TestServiceClient;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** A program: tries every case of gRPC's own client, one after the other, and says what came of each. */
final class GrpcCases {
    /** The cases that can't be tried, and why. All others are, those of later versions among them. */
    private static final Map<TestCases, String> LEFT_OUT = leftOut();

    private static final String[] NONE = {};
    /** Their answers are what the client balances by. */
    private static final String[] ORCA = {
        "--service_config_json={\"loadBalancingConfig\": [{\"test_backend_metrics_load_balancer\": {}}]}"
    };
    /** So many calls at once on one connection. */
    private static final String[] CROWD = {
        "--soak_num_threads=50",
        "--soak_iterations=300",
        "--soak_request_size=27182",
        "--soak_response_size=31415",
        "--soak_overall_timeout_seconds=30",
        "--soak_per_iteration_max_acceptable_latency_ms=10000"
    };

    private GrpcCases() {}

    private static String[] more(String name) {
        return switch (name) {
            case "orca_per_rpc", "orca_oob" -> ORCA;
            case "rpc_soak" -> CROWD;
            default -> NONE;
        };
    }

    private static Map<TestCases, String> leftOut() {
        String asks = "asks Google for credentials";
        Map<TestCases, String> why = new EnumMap<>(TestCases.class);
        why.put(TestCases.COMPUTE_ENGINE_CREDS, asks);
        why.put(TestCases.COMPUTE_ENGINE_CHANNEL_CREDENTIALS, asks);
        why.put(TestCases.GOOGLE_DEFAULT_CREDENTIALS, asks);
        why.put(TestCases.JWT_TOKEN_CREDS, asks);
        why.put(TestCases.OAUTH2_AUTH_TOKEN, asks);
        why.put(TestCases.PER_RPC_CREDS, asks);
        why.put(TestCases.SERVICE_ACCOUNT_CREDS, asks);
        why.put(TestCases.CACHEABLE_UNARY, "wants a proxy that caches");
        String probe = "grpc-java's own server doesn't refuse the probe that comes first; without one it is tried";
        why.put(TestCases.CLIENT_COMPRESSED_UNARY, probe);
        why.put(TestCases.CLIENT_COMPRESSED_STREAMING, probe);
        return why;
    }

    /** The names of the others. */
    static List<String> names() {
        return Arrays.stream(TestCases.values())
                .filter(each -> !LEFT_OUT.containsKey(each))
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    /**
     * Runs them, one after the other.
     *
     * @param args what the client is told besides the case
     */
    public static void main(String[] args) {
        for (String name : names()) {
            long beganNanos = System.nanoTime();
            String result = attempt(name, args);
            System.out.printf("%s: %d ms %s%n", name, (System.nanoTime() - beganNanos) / 1_000_000, result);
        }
    }

    private static String attempt(String name, String[] args) {
        Stream<String> words = Stream.of(args, more(name), new String[] {"--test_case=" + name})
                .flatMap(Arrays::stream);
        try {
            TestServiceClient.main(words.toArray(String[]::new));
            return "passed";
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
            return "failed: " + e;
        }
    }
}
