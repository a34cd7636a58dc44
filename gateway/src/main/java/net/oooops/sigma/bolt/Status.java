package net.oooops.sigma.bolt;

/** What a response says of its call: the numbers of Bolt, as {@code ResponseStatus} of SOFABolt has them. */
public enum Status {
    SUCCESS(0x00),
    ERROR(0x01),
    SERVER_EXCEPTION(0x02),
    UNKNOWN(0x03),
    SERVER_THREADPOOL_BUSY(0x04),
    ERROR_COMM(0x05),
    NO_PROCESSOR(0x06),
    TIMEOUT(0x07),
    CLIENT_SEND_ERROR(0x08),
    CODEC_EXCEPTION(0x09),
    CONNECTION_CLOSED(0x10),
    SERVER_SERIAL_EXCEPTION(0x11),
    SERVER_DESERIAL_EXCEPTION(0x12);

    private final int code;

    Status(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** Whether a status on the wire is one that there is: a SOFABolt client closes its connection over any other. */
    static boolean isKnown(int code) {
        return (code >= 0 && code <= CODEC_EXCEPTION.code)
                || (code >= CONNECTION_CLOSED.code && code <= SERVER_DESERIAL_EXCEPTION.code);
    }
}
