package net.oooops.sigma.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What listens on one transport, which this machine has to have, in front of a node that says hello. */
abstract class ListeningFixture {
    final Transport transport;
    final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));

    ListeningFixture(Transport transport) {
        this.transport = transport;
    }

    @BeforeEach
    final void need() {
        Needed.transport(transport);
    }

    @AfterEach
    final void closeNode() {
        node.close();
    }

    /** A server {@code a} at that address. */
    final ObjectNode sigma(String host, int port) {
        ObjectNode sigma = Taking.sigma(transport, node.port(), Map.of("a", port));
        ((ObjectNode) sigma.at("/proxy-server/http/0")).put("host", host);
        return sigma;
    }
}
