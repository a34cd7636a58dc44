package net.oooops.sigma.flow;

import java.util.Locale;
import java.util.stream.Stream;
import net.oooops.sigma.bolt.FrameRefusal;
import net.oooops.sigma.http1.Refusal;
import net.oooops.sigma.tcp.HeaderRefusal;

/** Under which names refused messages are counted: those of HTTP, then PROXY protocol headers, then frames of Bolt. */
@SuppressWarnings("EnumOrdinal") // Counted by ordinals within one run; nothing outlives it.
public final class RefusalNames {
    private static final int HEADERS_AT = Refusal.values().length;
    private static final int FRAMES_AT = HEADERS_AT + HeaderRefusal.values().length;

    private RefusalNames() {}

    /** All of them, in the order of {@link #index}. */
    public static String[] all() {
        return Stream.of(
                        Stream.of(Refusal.values()).map(why -> why.name().toLowerCase(Locale.ROOT)),
                        Stream.of(HeaderRefusal.values()).map(HeaderRefusal::label),
                        Stream.of(FrameRefusal.values()).map(FrameRefusal::label))
                .flatMap(names -> names)
                .toArray(String[]::new);
    }

    static int index(Refusal why) {
        return why.ordinal();
    }

    static int index(HeaderRefusal why) {
        return HEADERS_AT + why.ordinal();
    }

    static int index(FrameRefusal why) {
        return FRAMES_AT + why.ordinal();
    }
}
