package net.oooops.sigma.interop;

import com.alipay.remoting.InvokeContext;

/** The forms in which SOFABolt writes its frames: protocol, its version, and in version 2 with or without a checksum. */
enum WireForm {
    V1(1, 1, true),
    V2_FIRST(2, 1, true),
    V2_CRC(2, 2, true),
    V2_PLAIN(2, 2, false);

    private final int protocol;
    private final int version;
    private final boolean crc;

    WireForm(int protocol, int version, boolean crc) {
        this.protocol = protocol;
        this.version = version;
        this.crc = crc;
    }

    /** An address as SOFABolt's client takes it, for so many connections that are all opened with the first. */
    String address(int port, int connections) {
        String words = "_PROTOCOL=" + protocol + "&_VERSION=" + version;
        return "127.0.0.1:" + port + "?" + words + "&_CONNECTIONNUM=" + connections + "&_CONNECTIONWARMUP=true";
    }

    /** What a node's journal says of a call in this form; it does not know whether there was a CRC. */
    String journalLine() {
        return Journal.form(protocol, version);
    }

    /** What one call says about its form. */
    InvokeContext context() {
        InvokeContext context = new InvokeContext();
        context.put(InvokeContext.BOLT_CRC_SWITCH, crc);
        return context;
    }
}
