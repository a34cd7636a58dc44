package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultTest {
    /** What the access log shows of a request that no answer went to. */
    private static final int CLIENT_LOST = 499;

    @ParameterizedTest
    @EnumSource
    void aLostClientIsToldNothing(Fault fault) {
        assertThat(fault.isClientLost()).isEqualTo(fault.status() == CLIENT_LOST);
    }

    /** "DPE": what came breaks the protocol. */
    @ParameterizedTest
    @EnumSource
    void whatBreaksTheProtocolOrComesTooLateClosesTheConnection(Fault fault) {
        assertThat(fault.closesConnection())
                .isEqualTo(fault.flag().equals("DPE") || fault == Fault.REQUEST_TIMEOUT || fault == Fault.REQUEST_CUT);
    }
}
