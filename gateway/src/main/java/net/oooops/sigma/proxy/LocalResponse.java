package net.oooops.sigma.proxy;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.GrpcStatus;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.http.StatusLines;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Upstream;

/**
 * Responses that no node gave: error pages and what plugins answer. Their bodies are made once; they name nothing of what
 * stands behind the gateway.
 */
final class LocalResponse {
    private static final FieldName ACCEPT = FieldName.of("Accept");
    private static final Field PLAIN = Field.of("Content-Type", "text/plain; charset=utf-8");
    private static final Field PROBLEM = Field.of("Content-Type", "application/problem+json");
    private static final Field GRPC = Field.of("Content-Type", "application/grpc");
    private static final FieldName GRPC_STATUS = FieldName.of("grpc-status");
    private static final FieldName GRPC_MESSAGE = FieldName.of("grpc-message");
    private static final String CONTENT = "Content-";
    private static final FieldName ENTITY_TAG = FieldName.of("ETag");
    private static final FieldName LAST_MODIFIED = FieldName.of("Last-Modified");
    private static final byte[] NOTHING = {};
    private static final Field RETRY_SOON = Field.of("Retry-After", "1");

    private static final class Page {
        final Field contentType;
        final byte[] body;

        Page(Field contentType, byte[] body) {
            this.contentType = contentType;
            this.body = body;
        }
    }

    private final Map<Fault, Page> pages = new EnumMap<>(Fault.class);
    private final Map<Fault, Page> problems = new EnumMap<>(Fault.class);

    LocalResponse(Map<Integer, ErrorPage> errorPages) {
        for (Fault fault : Fault.values()) {
            ErrorPage own = errorPages.get(fault.status());
            if (own == null) {
                pages.put(fault, new Page(PLAIN, utf8(fault.text() + "\n")));
                problems.put(fault, new Page(PROBLEM, utf8(problem(fault))));
            } else {
                pages.put(fault, new Page(Field.of("Content-Type", own.contentType()), utf8(own.body())));
            }
        }
    }

    /** RFC 9457. */
    private static String problem(Fault fault) {
        String title = StatusLines.reason(fault.status());
        return "{\"type\":\"about:blank\",\"title\":\"" + title + "\",\"status\":" + fault.status() + ",\"detail\":\""
                + fault.text() + "\"}\n";
    }

    /** Makes the exchange's response that of a fault. */
    void write(HttpExchange x, Fault fault) {
        if (x.call == null) {
            writePage(x, fault);
        } else {
            writeStatus(x, fault.status(), fault.text());
        }
        if (fault == Fault.METHOD_NOT_ALLOWED) {
            x.response.head.add(Field.of("Allow", x.request.allow()));
        } else if (fault == Fault.BREAKER_OPEN) {
            x.response.head.add(retryAfter(x));
        } else if (isSoonOver(fault)) {
            x.response.head.add(RETRY_SOON);
        }
    }

    private void writePage(HttpExchange x, Fault fault) {
        Page page = pages.get(fault);
        if (problems.containsKey(fault) && acceptsJson(x)) {
            page = problems.get(fault);
        }
        if (page == null) {
            throw new IllegalStateException(fault + " without a page");
        }
        x.response.beginOwn(fault.status(), page.body);
        x.response.head.add(page.contentType);
    }

    private static boolean isSoonOver(Fault fault) {
        return switch (fault) {
            case POOL_OVERFLOW, POOL_TIMEOUT, OVERLOADED, OUT_OF_DESCRIPTORS, BREAKER_FULL, BREAKER_LIMITED -> true;
            default -> false;
        };
    }

    /** When the breaker tries its Upstream out. */
    private static Field retryAfter(HttpExchange x) {
        Upstream upstream = x.plan.upstream();
        Breaker breaker = upstream == null ? null : upstream.breaker();
        long seconds =
                breaker == null ? 1 : breaker.waitSeconds(x.proxy.loop.clock().nanos());
        return seconds == 1 ? RETRY_SOON : Field.of("Retry-After", Long.toString(seconds));
    }

    /** Makes it an error of gRPC: fields alone ("Trailers-Only"), with HTTP's own status a success; others may be among them, as metadata. */
    private static void writeStatus(HttpExchange x, int status, String text) {
        x.response.beginOwn(200, NOTHING);
        x.response.head.add(GRPC);
        x.response.head.add(Field.of(GRPC_STATUS, Integer.toString(GrpcStatus.of(status))));
        x.response.head.add(Field.of(GRPC_MESSAGE, text));
    }

    /** The same behind the messages of an answer that has begun. */
    static Trailers status(Fault fault) {
        Trailers trailers = new Trailers();
        trailers.add(Field.of(GRPC_STATUS, Integer.toString(GrpcStatus.of(fault.status()))));
        trailers.add(Field.of(GRPC_MESSAGE, fault.text()));
        return trailers;
    }

    /** Whether it says something of a body, which a status hasn't, or is the status. */
    private static boolean isOfBody(FieldName name) {
        String text = name.toString();
        return text.regionMatches(true, 0, CONTENT, 0, CONTENT.length())
                || name.equals(ENTITY_TAG)
                || name.equals(LAST_MODIFIED)
                || name.equals(GRPC_STATUS)
                || name.equals(GRPC_MESSAGE);
    }

    /** That takes the place of whatever answer there was, or was to come. Whether the exchange goes on. */
    boolean replace(HttpExchange x, Response with) {
        x.proxy.tries.leaveNode(x, false);
        x.proxy.transformCalls.close(x);
        x.response.body.queue.clear(false);
        write(x, with);
        FileSource file = x.response.file();
        SourcedBody source = x.response.source();
        if (x.plan.chain().wholeResponseBodyBytesMax() == 0) {
            return true;
        }
        return source == null ? file == null || x.proxy.files.collect(x, file) : x.proxy.sources.collect(x, source);
    }

    /** Makes the exchange's response that of a plugin. */
    private void write(HttpExchange x, Response response) {
        FileBody file = response.file();
        StreamBody stream = response.stream();
        if (x.call != null && response.status() >= 400) {
            writeStatus(x, response.status(), StatusLines.reason(response.status()));
            for (Field field : response.fields()) {
                if (!isOfBody(field.name())) {
                    x.response.head.add(field);
                }
            }
            if (file != null) {
                file.close();
            }
            if (stream != null) {
                x.proxy.sources.of(x, stream).close(null);
            }
            return;
        }
        if (stream != null) {
            x.response.beginOwn(response.status(), x.proxy.sources.of(x, stream));
        } else if (file == null) {
            byte[] body = new byte[response.bodyBytes()];
            response.copyBodyTo(body, 0);
            x.response.beginOwn(response.status(), body);
        } else {
            x.response.beginOwn(response.status(), file);
        }
        for (Field field : response.fields()) {
            x.response.head.add(field);
        }
    }

    private static boolean acceptsJson(HttpExchange x) {
        String accept = x.request.head.value(ACCEPT);
        if (accept == null) {
            return false;
        }
        String lower = accept.toLowerCase(Locale.ROOT);
        return lower.contains("application/problem+json") || lower.contains("application/json");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
