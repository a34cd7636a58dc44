package net.oooops.sigma.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import net.oooops.sigma.testkit.RawClient;

/**
 * One frame of Bolt as a test writes and reads it, by the layout in SOFABolt's sources and without any code of Sigma.
 *
 * @param layout 1, 2, or 3 for protocol 2 in version 2, which has checksums
 * @param type 0 response, 1 request, 2 one-way
 * @param command 0 heartbeat, 1 request, 2 response
 * @param switches left out in layout 1
 * @param word timeout of a request, status of a response
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by its bytes only.
public record BoltMessage(
        int layout,
        int type,
        int command,
        int id,
        int codec,
        int switches,
        int word,
        byte[] className,
        byte[] header,
        byte[] content) {
    private static final byte[] NONE = new byte[0];

    /** A request with a timeout of 5 s. */
    public static BoltMessage request(int layout, int id, String className, String content) {
        return new BoltMessage(
                layout,
                1,
                1,
                id,
                1,
                layout == 3 ? 1 : 0,
                5000,
                className.getBytes(UTF_8),
                NONE,
                content.getBytes(UTF_8));
    }

    /** A heartbeat. */
    public static BoltMessage heartbeat(int layout, int id) {
        return new BoltMessage(layout, 1, 0, id, 1, 0, -1, NONE, NONE, NONE);
    }

    /** A successful response to this. */
    public BoltMessage answer(String answer) {
        int answers = command == 0 ? 0 : 2;
        return new BoltMessage(
                layout, 0, answers, id, codec, switches, 0, "answer".getBytes(UTF_8), NONE, answer.getBytes(UTF_8));
    }

    /** The same of another type, 2 for one-way. */
    public BoltMessage withType(int other) {
        return new BoltMessage(layout, other, command, id, codec, switches, word, className, header, content);
    }

    /** The same with another command code. */
    public BoltMessage withCommand(int other) {
        return new BoltMessage(layout, type, other, id, codec, switches, word, className, header, content);
    }

    /** The same with another id. */
    public BoltMessage withId(int other) {
        return new BoltMessage(layout, type, command, other, codec, switches, word, className, header, content);
    }

    /** The same with another codec. */
    public BoltMessage withCodec(int other) {
        return new BoltMessage(layout, type, command, id, other, switches, word, className, header, content);
    }

    /** The same with another switch byte. */
    public BoltMessage withSwitches(int other) {
        return new BoltMessage(layout, type, command, id, codec, other, word, className, header, content);
    }

    /** The same with another timeout or status. */
    public BoltMessage withWord(int other) {
        return new BoltMessage(layout, type, command, id, codec, switches, other, className, header, content);
    }

    /** The same with other content. */
    public BoltMessage withContent(byte[] other) {
        return new BoltMessage(layout, type, command, id, codec, switches, word, className, header, other);
    }

    /** The same with a header as it is. */
    public BoltMessage withHeader(byte[] other) {
        return new BoltMessage(layout, type, command, id, codec, switches, word, className, other, content);
    }

    /** The same with a header of these keys and values in turn. */
    public BoltMessage withKeys(String... keysAndValues) {
        return withHeader(map(keysAndValues));
    }

    /** A header of these keys and values in turn. */
    public static byte[] map(String... keysAndValues) {
        ByteBuffer out = ByteBuffer.allocate(4096);
        for (String each : keysAndValues) {
            byte[] text = each.getBytes(UTF_8);
            out.putInt(text.length).put(text);
        }
        return java.util.Arrays.copyOf(out.array(), out.position());
    }

    private boolean isChecked() {
        return layout == 3 && (switches & 1) != 0;
    }

    private static int fixedBytes(int layout, int type) {
        return (type == 0 ? 20 : 22) + (layout == 1 ? 0 : 2);
    }

    /** It on the wire. */
    public byte[] bytes() {
        int bytes = fixedBytes(layout, type) + className.length + header.length + content.length;
        ByteBuffer out = ByteBuffer.allocate(bytes + (isChecked() ? 4 : 0));
        out.put((byte) Math.min(layout, 2));
        if (layout > 1) {
            out.put((byte) (layout - 1));
        }
        out.put((byte) type).putShort((short) command).put((byte) 1).putInt(id).put((byte) codec);
        if (layout > 1) {
            out.put((byte) switches);
        }
        if (type == 0) {
            out.putShort((short) word);
        } else {
            out.putInt(word);
        }
        out.putShort((short) className.length).putShort((short) header.length).putInt(content.length);
        out.put(className).put(header).put(content);
        if (isChecked()) {
            CRC32 crc = new CRC32();
            crc.update(out.array(), 0, bytes);
            out.putInt((int) crc.getValue());
        }
        return out.array();
    }

    /** Reads one, and fails on a wrong checksum. */
    public static BoltMessage read(RawClient from) throws IOException {
        int layout = from.readExactly(1)[0];
        byte[] first = {(byte) layout};
        if (layout == 2) {
            byte version = from.readExactly(1)[0];
            first = new byte[] {2, version};
            layout = version + 1;
        }
        byte type = from.readExactly(1)[0];
        byte[] rest = from.readExactly(fixedBytes(layout, type) - first.length - 1);
        ByteBuffer in = ByteBuffer.wrap(rest);
        int command = in.getShort();
        int commandVersion = in.get();
        if (commandVersion != 1) {
            throw new IOException("command version " + commandVersion + " (expected: 1)");
        }
        int id = in.getInt();
        int codec = in.get();
        int switches = layout > 1 ? in.get() : 0;
        int word = type == 0 ? in.getShort() : in.getInt();
        int classBytes = in.getShort();
        int headerBytes = in.getShort();
        int contentBytes = in.getInt();
        BoltMessage read = new BoltMessage(
                layout,
                type,
                command,
                id,
                codec,
                switches,
                word,
                from.readExactly(classBytes),
                from.readExactly(headerBytes),
                from.readExactly(contentBytes));
        if (read.isChecked()) {
            int found = ByteBuffer.wrap(from.readExactly(4)).getInt();
            byte[] whole = read.bytes();
            if (found != ByteBuffer.wrap(whole, whole.length - 4, 4).getInt()) {
                throw new IOException("a wrong checksum");
            }
        }
        return read;
    }

    /** Its content as text. */
    public String text() {
        return new String(content, UTF_8);
    }

    @Override
    public String toString() {
        return "layout " + layout + " type " + type + " command " + command + " id " + id + " codec " + codec
                + " switches " + switches + " word " + word + " class " + new String(className, UTF_8) + " content of "
                + content.length;
    }
}
