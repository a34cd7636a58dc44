package net.oooops.sigma.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.RedisException.Kind;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.redis.ReplyReader.ErrorReply;
import net.oooops.sigma.redis.ReplyReader.GarbageException;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a Redis, and those that follow it.
 *
 * <pre>
 *   open ─▶ connecting ─▶ greeting (AUTH, SELECT, PING) ─▶ ready
 *              ▲   └───────────┴────────────────────────────┴─▶ lost ─ later, another node ─┐
 *              └────────────────────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * Replies come in the order of commands: where one is late, all behind it are, and the connection is given up.
 *
 * <p>The event loop of its client.
 */
final class Connection {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    /** What a replica says, and one that isn't whole: another node may be neither. */
    private static final List<String> ELSEWHERE = List.of("READONLY", "LOADING", "MASTERDOWN");

    private static final int SHOWN_CHARS_MAX = 200;

    private final RedisClient client;
    private final RedisConfig config;
    private final ArrayDeque<Command<?>> sent = new ArrayDeque<>();
    private @Nullable NetSocket socket;
    private State state = State.LOST;
    /** Which attempt this is: what is left of an earlier one has no effect. */
    private int attempt;

    private int failures;
    private int nodeAt;
    private int greetingsCount;
    private int greetedCount;
    /** Whether it was lost for what Redis said to a command: a greeting doesn't tell that it is better. */
    private boolean doubted;

    private enum State {
        CONNECTING,
        GREETING,
        READY,
        LOST
    }

    Connection(RedisClient client) {
        this.client = client;
        this.config = client.config();
    }

    boolean isReady() {
        return state == State.READY;
    }

    /** Whether it is ready, or is tried for the first time. */
    boolean isHopeful() {
        return isReady() || (state != State.LOST && failures == 0);
    }

    boolean isWaiting() {
        return !sent.isEmpty();
    }

    NodeConfig node() {
        return config.nodes().get(nodeAt);
    }

    void open() {
        if (client.isClosed()) {
            return;
        }
        attempt++;
        int now = attempt;
        state = State.CONNECTING;
        long millis = TimeUnit.NANOSECONDS.toMillis(config.bounds().connectTimeoutNanos());
        client.vertx().setTimer(Math.max(1, millis), late -> {
            if (attempt == now && state != State.READY && state != State.LOST) {
                lose("no answer within " + millis + " ms");
            }
        });
        client.connect(node()).onComplete(connected -> {
            if (connected.failed()) {
                if (attempt == now && state == State.CONNECTING) {
                    lose(shown(String.valueOf(connected.cause().getMessage())));
                }
            } else if (attempt != now || state != State.CONNECTING || client.isClosed()) {
                connected.result().close();
            } else {
                greet(connected.result(), now);
            }
        });
    }

    private void greet(NetSocket connected, int now) {
        socket = connected;
        state = State.GREETING;
        ReplyReader reader = new ReplyReader(config.bounds().replyBytesMax());
        connected.handler(piece -> {
            if (attempt == now) {
                read(reader, piece, now);
            }
        });
        connected.exceptionHandler(thrown -> lost(now, shown(String.valueOf(thrown.getMessage()))));
        connected.closeHandler(closed -> lost(now, "it closed the connection"));
        List<Command<?>> greetings = greetings();
        greetingsCount = greetings.size();
        greetedCount = 0;
        greetings.forEach(each -> connected.write(Buffer.buffer(each.wire())));
    }

    private List<Command<?>> greetings() {
        List<Command<?>> all = new ArrayList<>();
        RedisConfig.User user = config.user();
        if (!user.password().isEmpty()) {
            all.add(
                    user.name().isEmpty()
                            ? greeting("AUTH", user.password())
                            : greeting("AUTH", user.name(), user.password()));
        }
        if (config.database() > 0) {
            all.add(greeting("SELECT", Integer.toString(config.database())));
        }
        all.add(greeting("PING"));
        return all;
    }

    private static Command<?> greeting(String... parts) {
        List<byte[]> bytes = new ArrayList<>();
        for (String part : parts) {
            bytes.add(part.getBytes(UTF_8));
        }
        return new Command<>(reply -> null, bytes);
    }

    private void read(ReplyReader reader, Buffer piece, int now) {
        try {
            reader.take(piece.getBytes(), reply -> {
                if (attempt == now) {
                    take(reply);
                }
            });
        } catch (GarbageException e) {
            garbage(String.valueOf(e.getMessage()));
        }
    }

    private void take(Object reply) {
        if (state == State.GREETING) {
            greeted(reply);
        } else if (state == State.READY) {
            Command<?> command = sent.poll();
            if (command == null) {
                garbage("a reply that nothing asked for");
            } else if (reply instanceof ErrorReply error) {
                refused(command, error.text());
            } else if (reply == ReplyReader.TOO_LONG) {
                client.fail(
                        command,
                        Kind.GARBAGE,
                        "a reply of more than " + config.bounds().replyBytesMax() + " bytes");
            } else if (!command.take(reply)) {
                client.fail(command, Kind.GARBAGE, "a reply of another kind");
            } else if (doubted) {
                trust();
            }
        }
    }

    private void greeted(Object reply) {
        if (reply instanceof ErrorReply error) {
            lose(shown(error.text()));
            return;
        }
        greetedCount++;
        if (greetedCount == greetingsCount) {
            state = State.READY;
            client.counts().connected(1);
            if (!doubted) {
                trust();
            } else {
                client.use(this);
            }
        }
    }

    private void trust() {
        doubted = false;
        failures = 0;
        client.up(this);
    }

    private void refused(Command<?> command, String text) {
        // The scripts are sent whole then; nothing failed.
        client.refuse(command, shown(text));
        boolean elsewhere = ELSEWHERE.stream().anyMatch(text::startsWith);
        if (elsewhere && config.nodes().size() > 1) {
            doubted = true;
            lose(shown(text));
        }
    }

    private void garbage(String found) {
        Command<?> first = sent.poll();
        lose("it sent " + found);
        if (first != null) {
            client.fail(first, Kind.GARBAGE, found);
        }
    }

    void send(Command<?> command) {
        NetSocket there = socket;
        if (there == null || state != State.READY) {
            client.fail(command, Kind.GONE, "no connection");
            return;
        }
        sent.add(command);
        there.write(Buffer.buffer(command.wire()));
    }

    /** Looks whether an answer is late. */
    void late(long nowNanos) {
        Command<?> first = sent.peek();
        if (first == null || !first.isDue(nowNanos)) {
            return;
        }
        List<Command<?>> due = new ArrayList<>();
        while (first != null && first.isDue(nowNanos)) {
            due.add(first);
            sent.poll();
            first = sent.peek();
        }
        lose("no answer within " + TimeUnit.NANOSECONDS.toMillis(config.bounds().commandTimeoutNanos()) + " ms");
        due.forEach(each -> client.fail(each, Kind.TIMEOUT, "no answer in time"));
    }

    private void lost(int of, String why) {
        if (attempt == of && state != State.LOST) {
            lose(why);
        }
    }

    private void lose(String why) {
        end("no connection any more");
        if (client.isClosed()) {
            return;
        }
        failures++;
        client.down(this, why);
        nodeAt = nodeAt + 1 < config.nodes().size() ? nodeAt + 1 : 0;
        int now = attempt;
        long millis = BACKOFF.after(failures, ThreadLocalRandom.current().nextDouble())
                .toMillis();
        client.vertx().setTimer(Math.max(1, millis), later -> {
            if (attempt == now && state == State.LOST) {
                open();
            }
        });
    }

    private void end(String why) {
        if (state == State.READY) {
            client.counts().connected(-1);
        }
        state = State.LOST;
        // What still comes of this one is of no interest.
        attempt++;
        NetSocket there = socket;
        socket = null;
        if (there != null) {
            there.close();
        }
        Command<?> each = sent.poll();
        while (each != null) {
            client.fail(each, Kind.GONE, why);
            each = sent.poll();
        }
    }

    void close() {
        end("closed");
    }

    /** What others say, for a log: short, and without characters that move what follows. */
    private static String shown(String text) {
        String cut = text.length() > SHOWN_CHARS_MAX ? text.substring(0, SHOWN_CHARS_MAX) + "…" : text;
        StringBuilder shown = new StringBuilder(cut.length());
        cut.chars().forEach(c -> shown.append(c < ' ' || c == 0x7f ? '?' : (char) c));
        return shown.toString();
    }
}
