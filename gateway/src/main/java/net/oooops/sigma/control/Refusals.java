package net.oooops.sigma.control;

import java.util.Locale;
import net.oooops.sigma.bolt.FrameRefusal;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.tcp.HeaderRefusal;

/** What the roads refuse on the wire: messages of HTTP, PROXY protocol headers, frames of Bolt. */
final class Refusals {
    static final RefusalNames NAMES = RefusalNames.NONE
            .and(Refusal.class, why -> why.name().toLowerCase(Locale.ROOT))
            .and(HeaderRefusal.class, HeaderRefusal::label)
            .and(FrameRefusal.class, FrameRefusal::label);

    private Refusals() {}
}
