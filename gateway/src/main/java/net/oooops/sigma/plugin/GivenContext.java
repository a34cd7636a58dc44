package net.oooops.sigma.plugin;

import java.util.function.Function;
import net.oooops.sigma.api.Callee;
import net.oooops.sigma.api.Expression;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.Schedule;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugin.PluginMeters.Kind;
import net.oooops.sigma.plugin.condition.TextExpression;

/**
 * What a factory is given for one plugin.
 *
 * @param plugin its name
 * @param clients give a Redis by its id
 * @param work takes what the plugin does by itself
 */
record GivenContext(String plugin, PluginMeters meters, Function<String, Redis> clients, OwnWork work)
        implements PluginContext {
    @Override
    public Reason reason(String text) {
        return new Reason(plugin + ": " + text, meters.meter(plugin, Kind.REASON, text, ""));
    }

    @Override
    public Counter counter(String name, String description) {
        return meters.meter(plugin, Kind.COUNTER, name, description);
    }

    @Override
    public Gauge gauge(String name, String description) {
        return meters.meter(plugin, Kind.GAUGE, name, description);
    }

    @Override
    public Histogram histogram(String name, String description) {
        return meters.meter(plugin, Kind.HISTOGRAM, name, description);
    }

    @Override
    public Redis redis(String id) {
        return clients.apply(id);
    }

    @Override
    public Callee callee(String proxyPassId) {
        return work.callee(proxyPassId);
    }

    @Override
    public Timer timer(String name, Schedule schedule, Task task) {
        Counter failures = meters.meter(plugin, Kind.TIMER, name, "");
        return work.timer(new PluginTimer(plugin, name, schedule, task, failures));
    }

    @Override
    public Expression expression(Settings text) {
        try {
            return TextExpression.compile(text.string());
        } catch (UnfitException e) {
            throw text.unfit(e.expected());
        }
    }
}
