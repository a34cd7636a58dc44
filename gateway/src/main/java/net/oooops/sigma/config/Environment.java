package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/** What a process is told by variables of its environment. */
@FunctionalInterface
interface Environment {

    /** The value of a variable; null where it isn't set. */
    @Nullable String get(String name);

    /** What there is to say of a variable that isn't set, behind its name. */
    default String lack() {
        return "which is not set";
    }

    /** What there is to do for it to be set, behind what else is expected. */
    default String remedy() {
        return "";
    }

    /** The same in a process that serves already, whose environment stays what it was, whatever those who run it have written since. */
    default Environment ofServing() {
        return new Environment() {
            @Override
            public @Nullable String get(String name) {
                return Environment.this.get(name);
            }

            @Override
            public String lack() {
                return "which is not set in the environment that pid "
                        + ProcessHandle.current().pid() + " has had since its start";
            }

            @Override
            public String remedy() {
                return "; another environment takes a restart";
            }
        };
    }
}
