package net.oooops.sigma.plugin.jars;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a class file says of other classes, read from its constants alone (JVMS 4.4): so what it calls is known before it is loaded.
 *
 * @param major the version of its format: 44 more than the first Java that reads it
 * @param classes the internal names of all classes that it names, arrays among them
 * @param uses the methods and fields that it uses
 */
record ClassConstants(int major, List<String> classes, List<Use> uses) {
    private static final int MAGIC = 0xCAFEBABE;
    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;

    /**
     * A method or a field.
     *
     * @param owner the internal name of the class that it is asked of, such as {@code com/example/Plugin}
     * @param descriptor its type, such as {@code (I)V}
     */
    record Use(String owner, String name, String descriptor) {
        boolean isMethod() {
            return descriptor.startsWith("(");
        }
    }

    /** The constants as they are written, by their numbers. */
    private static final class Pool {
        private final int[] tags;
        private final int[] firsts;
        private final int[] seconds;
        private final String[] texts;

        Pool(DataInputStream in) throws IOException {
            int count = in.readUnsignedShort();
            tags = new int[count];
            firsts = new int[count];
            seconds = new int[count];
            texts = new String[count];
            for (int i = 1; i < count; i++) {
                tags[i] = in.readUnsignedByte();
                // A number of eight bytes takes two places.
                i += read(i, in);
            }
        }

        private int read(int i, DataInputStream in) throws IOException {
            switch (tags[i]) {
                case UTF8 -> texts[i] = in.readUTF();
                case 3, 4 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    return 1;
                }
                case CLASS, 8, 16, 19, 20 -> firsts[i] = in.readUnsignedShort();
                case FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, 17, 18 -> {
                    firsts[i] = in.readUnsignedShort();
                    seconds[i] = in.readUnsignedShort();
                }
                case 15 -> in.skipNBytes(3);
                default -> throw new IOException("constant " + tags[i]);
            }
            return 0;
        }

        private Use use(int i) {
            int nameAndType = seconds[i];
            return new Use(texts[firsts[firsts[i]]], texts[firsts[nameAndType]], texts[seconds[nameAndType]]);
        }
    }

    /** @throws IOException where it is no class file that is known */
    static ClassConstants read(byte[] file) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
        if (in.readInt() != MAGIC) {
            throw new IOException("no class file");
        }
        in.readUnsignedShort();
        int major = in.readUnsignedShort();
        Pool pool = new Pool(in);
        List<String> classes = new ArrayList<>();
        List<Use> uses = new ArrayList<>();
        for (int i = 1; i < pool.tags.length; i++) {
            switch (pool.tags[i]) {
                case CLASS -> classes.add(pool.texts[pool.firsts[i]]);
                case FIELD, METHOD, INTERFACE_METHOD -> uses.add(pool.use(i));
                default -> {
                    // Nothing of another class.
                }
            }
        }
        return new ClassConstants(major, classes, uses);
    }
}
