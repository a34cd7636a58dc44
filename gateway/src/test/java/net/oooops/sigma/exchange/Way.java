package net.oooops.sigma.exchange;

import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;

/** The ways a file may take through a gateway. */
enum Way {
    EPOLL(Transport.EPOLL),
    NIO(Transport.NIO),
    IO_URING(Transport.IO_URING),
    ENCRYPTED(Transport.AUTO),
    WATCHED(Transport.AUTO);

    final Transport transport;

    Way(Transport transport) {
        this.transport = transport;
    }

    GatewayBuilder gateway(Probe answers, AtomicLong watchedBytes) {
        if (transport != Transport.AUTO) {
            Needed.transport(transport);
        }
        GatewayBuilder builder = in(answers).transport(transport);
        if (this == WATCHED) {
            Probe watches = Probe.probe().onResponseChunk((_, chunk) -> watchedBytes.addAndGet(chunk.remaining()));
            builder.plugin("probe", watches.config().settings());
        }
        return builder;
    }

    /** A gateway whose server has these plugins. */
    static GatewayBuilder in(Probe... probes) {
        GatewayBuilder builder = GatewayFixture.toPorts(1).plugins(Probe.LOADER);
        for (Probe probe : probes) {
            builder.plugin("probe", probe.config().settings());
        }
        return builder;
    }
}
