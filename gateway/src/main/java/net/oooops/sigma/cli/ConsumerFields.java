package net.oooops.sigma.cli;

import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.config.PluginConfig;

/** The fields of the consumer that a question is about: those that it names, or else those that sigma.json gives it. */
final class ConsumerFields {
    /** Plugins whose settings give consumers fields. */
    private static final Set<String> FINDERS = Set.of("key-auth", "basic-auth", "client-certificate");

    private ConsumerFields() {}

    /** One of that id, that has that plan. */
    static Consumer of(String id, String plan) {
        return Consumer.of(id, Field.of(Consumer.PLAN_FIELD, plan));
    }

    /**
     * The same consumer with the fields that a plugin gives it; as it is where it has any, or none of them names it.
     *
     * @param way the plugins that a request passes
     */
    static Consumer named(Consumer asked, List<PluginConfig> way) {
        if (!asked.fields().isEmpty()) {
            return asked;
        }
        for (PluginConfig plugin : way) {
            Settings consumers = Settings.of(plugin.settings()).get("consumers");
            for (Settings consumer : FINDERS.contains(plugin.name()) ? consumers.elements() : List.<Settings>of()) {
                Settings fields = consumer.get("fields");
                if (consumer.get("id").string("").equals(asked.id()) && fields.isPresent()) {
                    return Consumer.of(
                            asked.id(),
                            fields.keys().stream()
                                    .map(name -> Field.of(name, fields.get(name).string()))
                                    .toArray(Field[]::new));
                }
            }
        }
        return asked;
    }
}
