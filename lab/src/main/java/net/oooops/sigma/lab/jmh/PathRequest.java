package net.oooops.sigma.lab.jmh;

import static java.nio.charset.StandardCharsets.US_ASCII;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.route.RouteQuery;
import org.jspecify.annotations.Nullable;

/** A GET without body, query and fields: what a match sees of it. Immutable. */
final class PathRequest implements RouteQuery {
    private static final Ascii GET = Ascii.of("GET");

    private final byte[] path;
    private final byte[] host;

    PathRequest(String host, String path) {
        this.host = host.getBytes(US_ASCII);
        this.path = path.getBytes(US_ASCII);
    }

    @Override
    public byte[] bytes() {
        return path;
    }

    @Override
    public int pathStart() {
        return 0;
    }

    @Override
    public int pathEnd() {
        return path.length;
    }

    @Override
    public byte[] hostBytes() {
        return host;
    }

    @Override
    public int hostStart() {
        return 0;
    }

    @Override
    public int hostEnd() {
        return host.length;
    }

    @Override
    public boolean methodIs(Ascii method) {
        return GET.equals(method);
    }

    @Override
    public boolean hasBody() {
        return false;
    }

    @Override
    public @Nullable String header(FieldName name) {
        return null;
    }

    @Override
    public @Nullable String query() {
        return null;
    }
}
