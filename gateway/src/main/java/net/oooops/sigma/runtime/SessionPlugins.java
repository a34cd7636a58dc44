package net.oooops.sigma.runtime;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.plugin.Phase;
import net.oooops.sigma.plugin.ShadowPlugin;
import org.jspecify.annotations.Nullable;

/** Shows a session, or the connection of one who calls, to the plugins of its chain. Called on the Worker's event loop only. */
public final class SessionPlugins {
    private SessionPlugins() {}

    /** Why it may not begin, or null where all plugins let it. */
    public static @Nullable Fault refusal(LoopContext loop, Chain chain, Session session) {
        Phase phase = chain.session();
        for (int i = 0; i < phase.count(); i++) {
            if (phase.plugin(i) instanceof ShadowPlugin shadow) {
                judge(loop, chain, phase.position(i), shadow, session);
                continue;
            }
            SessionOutcome outcome;
            loop.pluginCalls().begin(chain, phase.position(i));
            try {
                outcome = phase.plugin(i).onSession(session);
            } catch (Throwable e) {
                loop.failures().plugin(chain.name(phase.position(i)), e);
                return Fault.PLUGIN_FAILED;
            } finally {
                loop.pluginCalls().end();
            }
            if (outcome != SessionOutcome.CONTINUE) {
                return Fault.SESSION_REFUSED;
            }
        }
        return null;
    }

    private static void judge(LoopContext loop, Chain chain, int position, ShadowPlugin shadow, Session session) {
        loop.pluginCalls().begin(chain, position);
        try {
            shadow.judge(session, what -> {
                loop.shadowed(what);
                if (session instanceof WorkerSession noting) {
                    noting.note(what.text());
                }
            });
        } finally {
            loop.pluginCalls().end();
        }
    }
}
