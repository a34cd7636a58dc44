package net.oooops.sigma.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All commands, in the order in which help lists them. Each is made when it is asked for: the others' classes stay unloaded. */
enum Commands {
    RUN(RunCommand::new),
    INIT(InitCommand::new),
    CHECK(CheckCommand::new),
    EXPLAIN(ExplainCommand::new),
    FMT(FmtCommand::new),
    STATUS(AskCommand::status),
    STOP(StopCommand::new),
    RELOAD(AskCommand::reload),
    UPGRADE(UpgradeCommand::new),
    DIFF(DiffCommand::new),
    HISTORY(HistoryCommand::new),
    ROLLBACK(RollbackCommand::new),
    DRAIN(NodeCommand::drain),
    WEIGHT(NodeCommand::weight),
    EJECT(NodeCommand::eject),
    RESTORE(NodeCommand::restore),
    LOG_LEVEL(LogLevelCommand::new),
    SCHEMA(SchemaCommand::new),
    VERSION(VersionCommand::new);

    @SuppressWarnings("ImmutableEnumChecker") // constructors, which hold nothing
    private final Supplier<Command> supplier;

    Commands(Supplier<Command> supplier) {
        this.supplier = supplier;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The words of all commands. */
    static List<String> words() {
        return Arrays.stream(values()).map(Commands::word).toList();
    }

    Command make() {
        return supplier.get();
    }

    /** The command of that name, or null. */
    static @Nullable Commands of(String word) {
        for (Commands each : values()) {
            if (each.word().equals(word)) {
                return each;
            }
        }
        return null;
    }
}
