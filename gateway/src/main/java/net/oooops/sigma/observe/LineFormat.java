package net.oooops.sigma.observe;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * How an exchange becomes one line of bytes. What clients sent is escaped so that none can forge a line or a field. Belongs to one
 * Worker, called on its event loop; allocates nothing but what a new second of the clock needs.
 */
@SuppressWarnings("EnumOrdinal") // Flags are looked up by ordinals within one run.
abstract sealed class LineFormat permits CombinedFormat, JsonFormat, TemplateFormat {
    /** The most of a request line that is logged; more is cut off. */
    static final int REQUEST_LINE_BYTES_MAX = 4096;
    /** The most of a Referer or User-Agent field that is logged; more is cut off. */
    static final int FIELD_BYTES_MAX = 1024;
    /** The most of a host that is logged: a name of 253 bytes and a port fit. */
    static final int HOST_BYTES_MAX = 512;
    /** The most of an id from sigma.json that is logged. */
    static final int ID_CHARS_MAX = 256;
    /** The longest line: every byte of all that escaped to six, metadata, and names, numbers and punctuation. */
    static final int LINE_BYTES_MAX =
            6 * (REQUEST_LINE_BYTES_MAX + 2 * FIELD_BYTES_MAX + HOST_BYTES_MAX + 10 * ID_CHARS_MAX)
                    + Metadata.JSON_BYTES_MAX
                    + 1024;

    static final int STATUS_DIGITS = 3;

    static final FieldName REFERER = FieldName.of("Referer");
    static final FieldName USER_AGENT = FieldName.of("User-Agent");

    /** The flag of what a plugin has answered for a reason. */
    static final byte[] PLUGIN_FLAG = LineBytes.of(Fault.SESSION_REFUSED.flag());

    /** Flags by the fault's ordinal. */
    static final byte[][] FLAGS = new byte[Fault.values().length][];

    static {
        for (Fault fault : Fault.values()) {
            FLAGS[fault.ordinal()] = LineBytes.of(fault.flag());
        }
    }

    /** Why the exchange failed or a plugin has answered, and what else there is to be said of it. */
    static @Nullable String reason(AccessRecord ended) {
        Fault fault = ended.fault();
        return AccessRecord.joined(fault == null ? ended.pluginReason() : fault.name(), ended.note());
    }

    /** Writes the line, its end included, to the beginning of {@code out}, which has room for the longest, and returns its length. */
    abstract int write(AccessRecord ended, byte[] out);
}
