package net.oooops.sigma.config;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Warns of edits of fields that Sigma writes itself, behind all plugins: none takes them out, and Via stands beside whatever a plugin writes. */
final class OwnFieldCheck {
    private static final String VIA = "Via";
    private static final Set<String> OF_REQUESTS = ignoringCase(
            VIA, "Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port");
    private static final Set<String> OF_RESPONSES = ignoringCase(VIA);

    private final Json root;
    private final Problems warnings;

    OwnFieldCheck(Json root, Problems warnings) {
        this.root = root;
        this.warnings = warnings;
    }

    private static Set<String> ignoringCase(String... names) {
        Set<String> all = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        all.addAll(Set.of(names));
        return all;
    }

    /** Looks at the settings of one plugin. */
    void check(Json settings) {
        switch (settings.step()) {
            case "headers" -> {
                // Where a router believes a proxy, what is removed may be what that one said.
                requests(settings.get("request"), isBelieving() ? OF_RESPONSES : OF_REQUESTS);
                responses(settings.get("response"));
            }
            case "server-version" -> removed(settings, OF_RESPONSES);
            default -> {}
        }
    }

    private boolean isBelieving() {
        return root.itemsOf("router").stream()
                .anyMatch(router -> AllowForward.of(router.text("allow-forward", "none")) != AllowForward.NONE);
    }

    private void requests(@Nullable Json side, Set<String> own) {
        if (side != null) {
            removed(side, own);
            written(side);
        }
    }

    private void responses(@Nullable Json side) {
        if (side != null) {
            removed(side, OF_RESPONSES);
            written(side);
        }
    }

    private void removed(Json side, Set<String> own) {
        for (Json name : side.itemsOf("remove")) {
            if (own.contains(name.text())) {
                warnings.value(
                        name,
                        "a field that Sigma doesn't write itself; this one it writes behind all plugins, and no setting leaves it out");
            }
        }
    }

    private void written(Json side) {
        for (String edit : new String[] {"set", "add", "set-template"}) {
            Json fields = side.get(edit);
            if (fields == null) {
                continue;
            }
            for (Json field : fields.members().values()) {
                if (field.step().equalsIgnoreCase(VIA)) {
                    warnings.key(
                            field,
                            Json.quoted(field.step()),
                            "a field that Sigma doesn't write itself; its own Via goes on beside this one",
                            null);
                }
            }
        }
    }
}
