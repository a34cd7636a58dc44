package net.oooops.sigma.plugin;

import java.util.List;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.plugin.jars.OwnContext;

/**
 * A plugin that stands in the place of another one, which it has decide: as sigma.json says it, whatever the other one's own settings are. It is called
 * for what that one is called for.
 */
abstract sealed class WrappedPlugin implements Plugin permits ConditionedPlugin, ShadowPlugin, WorkingPlugin {
    private final Plugin inner;
    private final Needs needs;

    WrappedPlugin(Plugin inner, Needs needs) {
        this.inner = inner;
        this.needs = needs;
    }

    /** The one that it stands in the place of. */
    final Plugin inner() {
        return inner;
    }

    @Override
    public final Needs needs() {
        return needs;
    }

    @Override
    public final List<String> targets() {
        return inner.targets();
    }

    @Override
    public final List<PathParameter> parameters() {
        return inner.parameters();
    }

    /** Whether it is called for more than one thing, so that something is to be kept from one to the next. */
    final boolean isCalledAgain() {
        int phases = (needs.request() ? 1 : 0) + (needs.response() ? 1 : 0) + (needs.end() ? 1 : 0);
        boolean chunks = needs.requestBody().kind() == BodyNeed.Kind.CHUNKS
                || needs.responseBody().kind() == BodyNeed.Kind.CHUNKS;
        return phases > 1 || chunks || needs.blocking();
    }

    /** @param before the one that its factory made, whatever stood in its place */
    @Override
    public final void takeOver(Plugin before) throws Exception {
        try (OwnContext _ = OwnContext.of(inner)) {
            inner.takeOver(before);
        }
    }

    @Override
    public final byte[] leave() throws Exception {
        try (OwnContext _ = OwnContext.of(inner)) {
            return inner.leave();
        }
    }

    @Override
    public final void inherit(byte[] left) throws Exception {
        try (OwnContext _ = OwnContext.of(inner)) {
            inner.inherit(left);
        }
    }

    @Override
    public final void start() throws Exception {
        try (OwnContext _ = OwnContext.of(inner)) {
            inner.start();
        }
    }

    @Override
    public void close() {
        try (OwnContext _ = OwnContext.of(inner)) {
            inner.close();
        }
    }

    @Override
    public final String toString() {
        return inner.toString();
    }
}
