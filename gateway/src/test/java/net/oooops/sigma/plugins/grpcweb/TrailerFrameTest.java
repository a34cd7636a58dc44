package net.oooops.sigma.plugins.grpcweb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client of gRPC-Web is told of a failure is what one of gRPC would be. */
class TrailerFrameTest {
    @ParameterizedTest
    @CsvSource({"BODY_TOO_LARGE, 8", "UPSTREAM_TIMEOUT, 4", "CONNECT_FAILED, 14", "BAD_REQUEST, 13", "PLUGIN_FAILED, 2"
    })
    void aFaultHasItsStatus(Fault fault, int status) {
        assertThat(new String(TrailerFrame.of(fault).bytes(false), StandardCharsets.ISO_8859_1))
                .contains("grpc-status: " + status + "\r\n")
                .contains("grpc-message: " + fault.text() + "\r\n");
    }
}
