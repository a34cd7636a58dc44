package net.oooops.sigma.config;

import java.util.List;

/** Warns of plugins that stand behind one which answers whatever comes, so that they see neither request nor answer. Of each place the first of them is told. */
final class BehindAnswerCheck {
    private BehindAnswerCheck() {}

    /** @param holders what has plugins */
    static void warn(List<Json> holders, Problems warnings) {
        for (Json holder : holders) {
            Json plugins = holder.get("plugin");
            Json answering = null;
            for (Json settings :
                    plugins == null ? List.<Json>of() : plugins.members().values()) {
                boolean acts = settings.kind() != Json.Kind.OBJECT || settings.flag("enable", true);
                if (acts && answering != null) {
                    String name = Json.quoted(answering.step());
                    warnings.key(
                            settings,
                            Json.quoted(settings.step()) + " behind " + name,
                            "before it; " + name
                                    + " answers all requests, and this plugin sees none, nor their answers",
                            null);
                    break;
                }
                answering = answersAll(settings) ? settings : answering;
            }
        }
    }

    private static boolean answersAll(Json settings) {
        if (settings.kind() != Json.Kind.OBJECT
                || !settings.flag("enable", true)
                || settings.get(PluginFrame.WHEN) != null
                || settings.text(PluginFrame.MODE, "").equals(PluginFrame.SHADOW)) {
            return false;
        }
        return switch (settings.step()) {
            case "respond" -> true;
            case "redirect" -> settings.get("regexp") == null;
            case "static-resources" -> !settings.text("missing", "").equals("pass");
            default -> false;
        };
    }
}
