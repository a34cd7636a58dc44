package net.oooops.sigma.plugins.grpcweb;

import java.util.Locale;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import org.jspecify.annotations.Nullable;

/**
 * A media type of gRPC or gRPC-Web: {@code application/grpc}, {@code application/grpc-web} or {@code application/grpc-web-text}, and how
 * messages are written.
 *
 * @param web whether it is one of gRPC-Web
 * @param text whether bodies are base64
 * @param suffix {@code +proto} and the like, lower case; empty where nothing is said
 */
record MediaType(boolean web, boolean text, String suffix) {
    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");
    private static final String GRPC = "application/grpc";
    private static final String WEB = "-web";
    private static final String TEXT = "-text";

    /** The type that {@code value} names, parameters left out; null where it is another one. */
    static @Nullable MediaType of(@Nullable String value) {
        if (value == null || !value.regionMatches(true, 0, GRPC, 0, GRPC.length())) {
            return null;
        }
        int semicolon = value.indexOf(';');
        String type =
                (semicolon < 0 ? value : value.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
        int at = GRPC.length();
        boolean web = type.startsWith(WEB, at);
        at += web ? WEB.length() : 0;
        boolean text = web && type.startsWith(TEXT, at);
        at += text ? TEXT.length() : 0;
        String suffix = type.substring(Math.min(at, type.length()));
        boolean valid = suffix.isEmpty() || (suffix.charAt(0) == '+' && FieldName.isToken(suffix.substring(1)));
        return valid ? new MediaType(web, text, suffix) : null;
    }

    /** The same of gRPC itself. */
    MediaType toGrpc() {
        return new MediaType(false, false, suffix);
    }

    /** The field that says so. */
    Field field() {
        return Field.of(CONTENT_TYPE, GRPC + (web ? WEB : "") + (text ? TEXT : "") + suffix);
    }
}
