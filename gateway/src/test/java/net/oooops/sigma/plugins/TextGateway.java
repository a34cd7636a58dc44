package net.oooops.sigma.plugins;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.control.StartException;

/** A gateway made from the text of a sigma.json, without {@code host} and {@code port}. */
public final class TextGateway extends WrittenGateway {
    private TextGateway(ObjectNode root) throws StartException {
        super(root, 1);
    }

    /**
     * Starts it; it listens then.
     *
     * @param json with one server of HTTP
     */
    public static TextGateway start(String json) {
        try {
            return new TextGateway(root(json));
        } catch (StartException e) {
            throw new AssertionError("the gateway doesn't start: " + e.getMessage(), e);
        }
    }

    /** Requests that begin from now on follow that. */
    public void reload(String json) {
        try {
            follow(root(json));
        } catch (StartException e) {
            throw new AssertionError("it isn't taken: " + e.getMessage(), e);
        }
    }

    private static ObjectNode root(String json) {
        try {
            ObjectNode root = (ObjectNode) JSON.readTree(json);
            ((ObjectNode) root.at("/proxy-server/http"))
                    .put("host", "127.0.0.1")
                    .put("port", 0);
            root.set("runtime", runtime());
            return root;
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }
}
