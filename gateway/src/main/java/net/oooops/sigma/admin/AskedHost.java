package net.oooops.sigma.admin;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import org.jspecify.annotations.Nullable;

/**
 * Which host a request is for, by RFC 9112, section 3.2: that of an absolute target, else that of the one field Host.
 *
 * @param isFit whether that can be told
 * @param name the host without its port; null where none is named, as HTTP/1.0 may have it
 */
record AskedHost(boolean isFit, @Nullable String name) {
    private static final AskedHost UNFIT = new AskedHost(false, null);

    static AskedHost of(HttpServerRequest request) {
        int count = request.headers().getAll("Host").size();
        String target = request.uri();
        boolean old = request.version() == HttpVersion.HTTP_1_0;
        if (count > 1 || (count == 0 && !old)) {
            return UNFIT;
        }
        if (!target.startsWith("/") && !target.equals("*")) {
            return named(authority(target));
        }
        return count == 0 ? new AskedHost(true, null) : named(request.getHeader("Host"));
    }

    private static AskedHost named(@Nullable String authority) {
        HostAndPort host = authority == null ? null : HostAndPort.parseAuthority(authority, -1);
        return host == null ? UNFIT : new AskedHost(true, host.host());
    }

    /** That of {@code http://authority/path?query}; null for other targets. */
    private static @Nullable String authority(String target) {
        String scheme = "http://";
        if (!target.regionMatches(true, 0, scheme, 0, scheme.length())) {
            return null;
        }
        int end = scheme.length();
        while (end < target.length() && "/?#".indexOf(target.charAt(end)) < 0) {
            end++;
        }
        return target.substring(scheme.length(), end);
    }
}
