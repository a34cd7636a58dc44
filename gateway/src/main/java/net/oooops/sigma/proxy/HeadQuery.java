package net.oooops.sigma.proxy;

import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.route.RouteQuery;
import org.jspecify.annotations.Nullable;

/**
 * What routing asks of a request, answered from its head: of one that came in, and of one that {@code sigma explain} is asked about. Where the
 * host ends, validation has to say.
 *
 * <p>Made once with the head, and used again with it, on its thread.
 */
public final class HeadQuery implements RouteQuery {
    private final HttpRequestHead head;
    private int hostEnd;
    private boolean preflight;

    /** About the requests that are read into {@code head}. */
    public HeadQuery(HttpRequestHead head) {
        this.head = head;
    }

    /** Makes it ready for another request. */
    void reset() {
        hostEnd = 0;
        preflight = false;
    }

    /** The host was understood, and ends there. */
    public void host(int end) {
        hostEnd = end;
    }

    /** Whether routing is asked for the method that a preflight asks for, in the place of its own. */
    public void asPreflight(boolean ofThatMethod) {
        preflight = ofThatMethod;
    }

    @Override
    public byte[] bytes() {
        return head.target().pathBytes();
    }

    @Override
    public int pathStart() {
        return head.target().pathStart();
    }

    @Override
    public int pathEnd() {
        return head.target().pathEnd();
    }

    @Override
    public byte[] hostBytes() {
        return head.received();
    }

    @Override
    public int hostStart() {
        return head.authorityStart();
    }

    @Override
    public int hostEnd() {
        return hostEnd;
    }

    @Override
    public boolean methodIs(Ascii method) {
        return preflight ? Preflight.requests(head, method) : head.methodIs(method);
    }

    @Override
    public boolean hasBody() {
        return head.hasBody();
    }

    @Override
    public @Nullable String header(FieldName name) {
        List<String> values = head.values(name);
        return values.isEmpty() ? null : String.join(", ", values);
    }

    @Override
    public @Nullable String query() {
        return head.query();
    }
}
