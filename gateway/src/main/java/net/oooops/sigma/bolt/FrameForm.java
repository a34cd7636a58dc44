package net.oooops.sigma.bolt;

/**
 * How a frame is laid out. A connection speaks one form for all its life: SOFABolt answers everything on a connection in the form
 * of the first frame that came on it.
 */
public enum FrameForm {
    /** Protocol code 1. */
    V1(0),
    /** Protocol code 2, version 1: a version and a switch byte more, no checksum whatever the switch says. */
    V2(1),
    /** Protocol code 2, version 2: a CRC-32 at the end of frames whose switch says so. */
    V2_CRC(1);

    private static final int PREFIX_BYTES = 9;
    private static final int REQUEST_BYTES = 22;
    private static final int RESPONSE_BYTES = 20;

    /** How many bytes of version follow the protocol code: the offset that the fields behind it have gained. */
    private final int versionBytes;

    FrameForm(int versionBytes) {
        this.versionBytes = versionBytes;
    }

    /** The first byte of every frame. */
    int protocolCode() {
        return versionBytes + 1;
    }

    /** The byte behind it, of the forms that have one. */
    int versionByte() {
        return this == V2_CRC ? 2 : 1;
    }

    /** Where the request id stands, counted from the frame's beginning. */
    int idAt() {
        return PREFIX_BYTES - 4 + versionBytes;
    }

    /** Where the codec stands; the switch byte of the forms that have one follows it. */
    int codecAt() {
        return PREFIX_BYTES + versionBytes;
    }

    /** The bytes before class, header and content. */
    int fixedBytes(boolean response) {
        return (response ? RESPONSE_BYTES : REQUEST_BYTES) + 2 * versionBytes;
    }

    /** Whether a frame with that switch byte ends with a CRC-32. */
    public boolean isChecked(int switches) {
        return this == V2_CRC && (switches & Frame.SWITCH_CRC) != 0;
    }
}
