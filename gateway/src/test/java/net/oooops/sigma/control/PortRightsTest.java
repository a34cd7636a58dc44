package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.SocketException;
import org.junit.jupiter.api.Test;

class PortRightsTest {
    @Test
    void aLowPortThatIsDeniedTakesACapability() {
        SocketException denied = new SocketException("bind(..) failed with error(-13): Permission denied");
        assertThat(PortRights.why(80, denied))
                .contains("Permission denied: ", "AmbientCapabilities=CAP_NET_BIND_SERVICE");
        assertThat(PortRights.why(8080, denied)).isEqualTo(denied.getMessage());
    }

    @Test
    void whateverElseItIsStandsAsItIs() {
        assertThat(PortRights.why(80, new SocketException("Address already in use")))
                .isEqualTo("Address already in use");
        assertThat(PortRights.why(80, new SocketException())).isNull();
    }
}
