package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/** What a process is told by variables of its environment. */
@FunctionalInterface
interface Environment {

    /** The value of a variable; null where it isn't set. */
    @Nullable String get(String name);
}
