package net.oooops.sigma.interop;

/** How calls of gRPC come to the gateway, and go on to the node. */
enum GrpcWire {
    H2C_TO_H2C("plain", false),
    TLS_TO_H2C("tls", true),
    TLS_TO_TLS("tls-both", true);

    private final String listener;
    private final boolean encrypted;

    GrpcWire(String listener, boolean encrypted) {
        this.listener = listener;
        this.encrypted = encrypted;
    }

    /** The id of the listener, see {@link SigmaJson#grpc}. */
    String listener() {
        return listener;
    }

    /** Whether the client encrypts. */
    boolean isEncrypted() {
        return encrypted;
    }
}
