package net.oooops.sigma.api;

/** The status codes of gRPC (statuscodes.md of grpc/grpc). */
public final class GrpcStatus {
    private GrpcStatus() {}

    /**
     * The code that a client of gRPC is told where one of HTTP would be answered by the gateway itself, or by a plugin.
     *
     * @param httpStatus from 400 to 599
     */
    public static int of(int httpStatus) {
        return switch (httpStatus) {
            case 401 -> 16;
            case 403 -> 7;
            case 404, 405, 415, 501, 505 -> 12;
            case 408, 504 -> 4;
            case 413, 414, 429, 431 -> 8;
            case 502, 503 -> 14;
            default -> httpStatus < 500 ? 13 : 2;
        };
    }
}
