package net.oooops.sigma.plugins.authentication.basicauth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.Overload;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BasicAuthTest {
    /** Of "U*U". */
    private static final String BCRYPT = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

    private final TestContext context = new TestContext();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger hashed = new AtomicInteger();
    private final CountDownLatch mayHash = new CountDownLatch(1);

    private static String authorization(String pair) {
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    }

    private static TestExchange with(String pair) {
        return TestExchange.of("GET", "/", authorization(pair));
    }

    private PluginHarness harness(Map<String, ?> more) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "consumers",
                List.of(Map.of("id", "ada", "password", BCRYPT, "fields", Map.of("X-Consumer-Plan", "gold")))));
        settings.putAll(more);
        return PluginHarness.of(new BasicAuthFactory().create(Settings.of(settings), context));
    }

    /** Users ada and bob with any password that begins with "right", hashed when the test lets it. */
    private BasicAuth slow(int waitingMax, int perClientMax) {
        return slow(BoundedWork.ofAllPlaces().within(waitingMax, perClientMax));
    }

    private BasicAuth slow(BoundedWork work) {
        PasswordHash hash = password -> {
            hashed.incrementAndGet();
            try {
                assertThat(mayHash.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new String(password, UTF_8).startsWith("right");
        };
        Terms terms = new Terms(Credentials.inAuthorization("Basic"), false, false, true, "x");
        BasicAuth plugin = new BasicAuth(
                terms,
                new BasicAuth.Bounds(100, 100, TimeUnit.MINUTES.toNanos(5), work),
                new BasicAuth.Refusals(
                        refusal("missing"),
                        refusal("malformed"),
                        refusal("unknown"),
                        refusal("wrong"),
                        new Overload(refusal("busy"), refusal("client-busy"))),
                nanos::get);
        Map<String, Users.User> users = Map.of(
                "ada", new Users.User(Consumer.of("ada"), hash), "bob", new Users.User(Consumer.of("bob"), hash));
        plugin.users(Users.of(users));
        return plugin;
    }

    private Outcome refusal(String reason) {
        return Terms.refusal(context.reason(reason), 401, "no");
    }

    private static String reason(Outcome outcome) {
        return outcome instanceof Outcome.Respond respond ? String.valueOf(respond.reason()) : outcome.toString();
    }

    @Test
    void theRightPasswordLetsInAndIsHidden() throws Exception {
        PluginHarness harness = harness(Map.of());
        for (int i = 0; i < 2; i++) {
            TestExchange exchange = with("ada:U*U");
            assertThat(harness.request(exchange)).isSameAs(Outcome.CONTINUE);
            assertThat(exchange.request().lines())
                    .containsExactlyInAnyOrder("X-Consumer-Id: ada", "X-Consumer-Plan: gold");
        }
    }

    @Test
    void othersAreRefusedAlikeAndTheLogKnowsWhy() throws Exception {
        PluginHarness harness = harness(Map.of());
        TestExchange wrong = with("ada:U*V");
        TestExchange unknown = with("eve:U*U");
        TestExchange none = TestExchange.of("GET", "/");
        for (TestExchange each : List.of(wrong, unknown, none)) {
            assertThat(harness.request(each)).isInstanceOf(Outcome.Respond.class);
            assertThat(each.response().status()).isEqualTo(401);
            assertThat(each.response().lines()).contains("WWW-Authenticate: Basic realm=\"sigma\", charset=\"UTF-8\"");
        }
        assertThat(wrong.responseText()).isEqualTo(unknown.responseText()).isEqualTo(none.responseText());
        assertThat(context.count("wrong-password")).isEqualTo(1);
        assertThat(context.count("unknown-user")).isEqualTo(1);
        assertThat(context.count("no-password")).isEqualTo(1);
    }

    @Test
    void whatIsNoPairIsRefusedUnhashed() throws Exception {
        PluginHarness harness = harness(Map.of("optional", true));
        List<String> values = new ArrayList<>(List.of(
                "Authorization: Basic",
                "Authorization: Basic !!!",
                "Authorization: Basic YWRhOlUqVQ=!",
                "Authorization: Basic " + "YWRh".repeat(1_000)));
        for (String pair :
                List.of("ada", ":U*U", "ada:\0", "ada:a\nb", "ada:" + "x".repeat(257), "a".repeat(257) + ":b")) {
            values.add(authorization(pair));
        }
        for (String value : values) {
            TestExchange exchange = TestExchange.of("GET", "/", value);
            harness.request(exchange);
            assertThat(exchange.response().status()).as(value).isEqualTo(401);
        }
        TestExchange twice = TestExchange.of("GET", "/", authorization("ada:U*U"), authorization("ada:U*U"));
        harness.request(twice);
        assertThat(context.count("malformed-password")).isEqualTo(values.size() + 1);
        TestExchange latin1 = TestExchange.of(
                "GET", "/", "Authorization: Basic " + Base64.getEncoder().encodeToString("ädá:x".getBytes(ISO_8859_1)));
        harness.request(latin1);
        assertThat(context.count("unknown-user")).isEqualTo(1);
        TestExchange other = TestExchange.of("GET", "/", "Authorization: Bearer x");
        assertThat(harness.request(other)).isSameAs(Outcome.CONTINUE);
        assertThat(other.consumer()).isNull();
    }

    @Test
    void unknownUsersAreHashedToo() throws Exception {
        mayHash.countDown();
        PluginHarness harness = PluginHarness.of(slow(10, 10));
        assertThat(reason(harness.request(with("eve:right")))).isEqualTo("test: unknown");
        assertThat(hashed).hasValue(1);
    }

    @Test
    void whoWasLetInIsRememberedForAWhile() throws Exception {
        mayHash.countDown();
        BasicAuth plugin = slow(10, 10);
        PluginHarness harness = PluginHarness.of(plugin);
        for (int i = 0; i < 3; i++) {
            assertThat(harness.request(with("ada:right"))).isSameAs(Outcome.CONTINUE);
        }
        assertThat(hashed).hasValue(1);
        TestExchange hit = with("ada:right");
        assertThat(harness.request(hit)).isSameAs(Outcome.CONTINUE);
        assertThat(harness.request(with("ada:right2"))).isSameAs(Outcome.CONTINUE);
        assertThat(hashed).as("another password is another one").hasValue(2);

        nanos.addAndGet(TimeUnit.MINUTES.toNanos(5));
        assertThat(harness.request(with("ada:right"))).isSameAs(Outcome.CONTINUE);
        assertThat(hashed).hasValue(3);
        for (int i = 0; i < 2; i++) {
            assertThat(reason(harness.request(with("ada:wrong")))).isEqualTo("test: wrong");
        }
        assertThat(hashed).as("wrong ones aren't remembered").hasValue(5);
        assertThat(reason(harness.request(with("ada:ri:ght")))).isEqualTo("test: wrong");

        plugin.users(Users.of(Map.of()));
        assertThat(reason(harness.request(with("ada:right")))).isEqualTo("test: unknown");
    }

    @Test
    void whoKeepsComingIsRememberedForAnHour() throws Exception {
        mayHash.countDown();
        PluginHarness harness = PluginHarness.of(slow(10, 10));
        for (int minute = 0; minute < 60; minute++) {
            assertThat(harness.request(with("ada:right"))).isSameAs(Outcome.CONTINUE);
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        }
        assertThat(hashed).hasValue(1);
        for (int i = 0; i < 2; i++) {
            assertThat(harness.request(with("ada:right"))).isSameAs(Outcome.CONTINUE);
        }
        assertThat(hashed).as("after an hour it is hashed again").hasValue(2);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(5));
        assertThat(harness.request(with("ada:right"))).isSameAs(Outcome.CONTINUE);
        assertThat(hashed).as("who hasn't come for so long is forgotten").hasValue(3);
    }

    /** From however many addresses passwords are tried out: those who came from theirs with a right one have places. */
    @Test
    void whoHadARightPasswordHasPlacesThatAFloodDoesNotGet() throws Exception {
        BoundedWork all = BoundedWork.ofAllPlacesWithTrust();
        BasicAuth before = slow(all.within(8, 4));
        mayHash.countDown();
        TestExchange first = with("ada:right").withAddresses("192.0.2.1", "192.0.2.1");
        assertThat(PluginHarness.of(before).request(first)).isSameAs(Outcome.CONTINUE);

        BasicAuth plugin = slow(all.within(8, 4));
        PasswordHash held = new PasswordHash() {
            @Override
            public boolean matches(byte[] password) {
                return false;
            }

            @Override
            public Executor threads() {
                return never -> {};
            }
        };
        plugin.users(Users.of(Map.of("ada", new Users.User(Consumer.of("ada"), held))));
        List<String> flood = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            String from = "198.51.100." + i;
            flood.add(reason(plugin.onRequest(with("ada:wrong" + i).withAddresses(from, from))));
        }
        assertThat(flood.subList(0, 4)).noneMatch(each -> each.contains("busy"));
        assertThat(flood.subList(4, 16)).containsOnly("test: busy");
        Outcome again = plugin.onRequest(with("ada:right").withAddresses("192.0.2.1", "192.0.2.1"));
        assertThat(again).isInstanceOf(Outcome.Suspend.class);
    }

    /** A line more in the file has nobody else's password hashed anew. */
    @Test
    void whoIsTheSameAmongOtherUsersIsStillRemembered() throws Exception {
        mayHash.countDown();
        BasicAuth plugin = slow(10, 10);
        PluginHarness harness = PluginHarness.of(plugin);
        PasswordHash hash = password -> {
            hashed.incrementAndGet();
            return true;
        };
        PasswordHash other = password -> {
            hashed.addAndGet(100);
            return false;
        };
        plugin.users(Users.of(Map.of(
                "ada", new Users.User(Consumer.of("ada"), hash), "bob", new Users.User(Consumer.of("bob"), hash))));
        assertThat(harness.request(with("ada:x"))).isSameAs(Outcome.CONTINUE);
        assertThat(harness.request(with("bob:x"))).isSameAs(Outcome.CONTINUE);
        assertThat(hashed).hasValue(2);

        Consumer gold = Consumer.of("ada", Field.of("X-Consumer-Plan", "gold"));
        plugin.users(Users.of(Map.of(
                "ada", new Users.User(gold, hash),
                "bob", new Users.User(Consumer.of("bob"), other),
                "cleo", new Users.User(Consumer.of("cleo"), hash))));
        TestExchange exchange = with("ada:x");
        assertThat(harness.request(exchange)).isSameAs(Outcome.CONTINUE);
        assertThat(exchange.consumer()).as("as it is told now").isSameAs(gold);
        assertThat(hashed).as("the same user with the same hash").hasValue(2);
        assertThat(reason(harness.request(with("bob:x"))))
                .as("another hash ends it")
                .isEqualTo("test: wrong");
        assertThat(hashed).hasValue(102);

        plugin.users(Users.of(Map.of("cleo", new Users.User(Consumer.of("cleo"), hash))));
        assertThat(reason(harness.request(with("ada:x")))).as("gone").isEqualTo("test: unknown");
    }

    /** The client that tries passwords out is turned away; another one isn't, nor is one that was let in before. */
    @Test
    void aFloodOfPasswordsTakesItsOwnShareAlone() throws Exception {
        BasicAuth plugin = slow(6, 4);
        List<Outcome> flood = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            flood.add(plugin.onRequest(with("ada:wrong" + i).withAddresses("192.0.2.1", "192.0.2.1")));
        }
        assertThat(flood.subList(0, 4)).allMatch(each -> each instanceof Outcome.Suspend);
        assertThat(flood.subList(4, 10)).extracting(BasicAuthTest::reason).containsOnly("test: client-busy");
        Outcome same = plugin.onRequest(with("ada:wrong0").withAddresses("192.0.2.1", "192.0.2.1"));
        assertThat(same).as("the same one waits for the one before").isInstanceOf(Outcome.Suspend.class);

        Outcome other = plugin.onRequest(with("bob:right").withAddresses("2001:db8::1", "2001:db8::1"));
        assertThat(other).isInstanceOf(Outcome.Suspend.class);
        Outcome sixth = plugin.onRequest(with("bob:right2").withAddresses("2001:db8::2", "2001:db8::2"));
        assertThat(sixth).isInstanceOf(Outcome.Suspend.class);
        Outcome full = plugin.onRequest(with("bob:right3").withAddresses("198.51.100.1", "198.51.100.1"));
        assertThat(reason(full)).isEqualTo("test: busy");

        mayHash.countDown();
        assertThat(((Outcome.Suspend) other).next().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isInstanceOf(Outcome.Then.class);
        assertThat(hashed).as("each of those that weren't turned away, once").hasValueLessThanOrEqualTo(6);
        assertThat(reason(end(flood.get(0)))).isEqualTo("test: wrong");
        assertThat(reason(end(same))).isEqualTo("test: wrong");
        Await.until(
                "there is room again",
                () -> !reason(plugin.onRequest(with("bob:again").withAddresses("192.0.2.1", "192.0.2.1")))
                        .contains("busy"));
    }

    /** What a parked exchange comes to. */
    private static Outcome end(Outcome outcome) throws Exception {
        Outcome next = outcome;
        while (!(next instanceof Outcome.Respond)) {
            next = switch (next) {
                case Outcome.Suspend suspend ->
                    suspend.next().toCompletableFuture().get(10, TimeUnit.SECONDS);
                case Outcome.Then then -> then.step().apply(TestExchange.of("GET", "/"));
                default -> throw new AssertionError(next);
            };
        }
        return next;
    }

    /** Neither those that wait as the file changes nor those that come with the same password afterwards. */
    @Test
    void aPasswordThatWasTakenAwayLetsNobodyInWhoseVerificationHadBegun() throws Exception {
        BasicAuth plugin = slow(10, 10);
        Outcome before = plugin.onRequest(with("ada:right"));
        Await.until("it is being hashed", () -> hashed.get() == 1);
        PasswordHash other = password -> false;
        plugin.users(Users.of(Map.of("ada", new Users.User(Consumer.of("ada"), other))));
        Outcome after = plugin.onRequest(with("ada:right"));
        mayHash.countDown();
        assertThat(reason(end(after))).isEqualTo("test: wrong");
        assertThat(reason(end(before))).isEqualTo("test: wrong");
        assertThat(reason(end(plugin.onRequest(with("ada:right"))))).isEqualTo("test: wrong");
    }

    /** An error of the JVM's fails those that wait for it, and leaves nothing under way. */
    @Test
    void whatFailsToBeHashedIsTriedAgain() throws Exception {
        BasicAuth plugin = slow(1, 1);
        PasswordHash fails = password -> {
            if (hashed.incrementAndGet() == 1) {
                throw new StackOverflowError("for a test");
            }
            return true;
        };
        plugin.users(Users.of(Map.of("ada", new Users.User(Consumer.of("ada"), fails))));
        assertThatThrownBy(() -> end(plugin.onRequest(with("ada:right")))).hasRootCauseMessage("for a test");
        Await.until(
                "there is room again",
                () -> !reason(plugin.onRequest(with("ada:right"))).contains("busy"));
        Await.until("it is hashed again", () -> hashed.get() == 2);
    }

    @Test
    void clientsOfOneNetworkAreOne() {
        BasicAuth plugin = slow(100, 2);
        List<String> outcomes = new ArrayList<>();
        for (String address :
                List.of("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1", "::ffff:10.0.0.1")) {
            outcomes.add(reason(plugin.onRequest(with("ada:" + address).withAddresses(address, address))));
        }
        assertThat(outcomes.get(2)).isEqualTo("test: client-busy");
        assertThat(outcomes).filteredOn(each -> each.contains("busy")).hasSize(1);
        mayHash.countDown();
    }

    @Test
    void aFileIsFollowedAndABrokenOneLeavesTheOneBefore(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("users"), "bob:" + BCRYPT + "\n");
        PluginHarness harness = harness(Map.of("file", file.toString()));
        try (Plugin plugin = harness.plugin()) {
            assertThat(plugin.needs().blocking()).isFalse();
            context.run("follow-file");
            assertThat(harness.request(with("bob:U*U"))).isSameAs(Outcome.CONTINUE);
            assertThat(harness.request(with("ada:U*U"))).isSameAs(Outcome.CONTINUE);
            replace(file, "bob:plain\neve:" + BCRYPT);
            context.run("follow-file");
            assertThat(harness.request(with("bob:U*U"))).isSameAs(Outcome.CONTINUE);
            replace(file, "cleo:" + BCRYPT);
            context.run("follow-file");
            assertThat(isRefused(harness, "bob:U*U"))
                    .as("gone, remembered or not")
                    .isTrue();
            assertThat(harness.request(with("cleo:U*U"))).isSameAs(Outcome.CONTINUE);
            assertThat(harness.request(with("ada:U*U"))).isSameAs(Outcome.CONTINUE);
        }
    }

    /** So is one that is being written anew. Who means that nobody may come in says so by a comment. */
    @Test
    void anEmptyFileLeavesTheOneBefore(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("users"), "");
        assertThatThrownBy(() -> harness(Map.of("file", file.toString()))).hasMessageContaining("a line at least");
        replace(file, "bob:" + BCRYPT);
        PluginHarness harness = harness(Map.of("file", file.toString()));
        try (Plugin plugin = harness.plugin()) {
            assertThat(plugin.needs().blocking()).isFalse();
            replace(file, "");
            context.run("follow-file");
            assertThat(harness.request(with("bob:U*U"))).isSameAs(Outcome.CONTINUE);
            replace(file, "# nobody");
            context.run("follow-file");
            assertThat(isRefused(harness, "bob:U*U")).isTrue();
        }
    }

    private static void replace(Path file, String text) throws Exception {
        Path next = Files.writeString(file.resolveSibling("next"), text);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isRefused(PluginHarness harness, String pair) {
        try {
            return harness.request(with(pair)) instanceof Outcome.Respond;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void problemsNameTheirPlaceAndShowNoPassword() {
        Map<String, String> plain = Map.of("id", "a", "password", "hunter2");
        assertThatThrownBy(() -> harness(Map.of("consumers", List.of(plain))))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/consumers/0/password"))
                .hasMessageContaining("htpasswd -B")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> harness(Map.of("consumers", List.of(Map.of("id", "a")))))
                .hasMessageContaining("/consumers/0/password");
        assertThatThrownBy(() -> harness(Map.of("consumers", List.of(Map.of("id", "a:b", "password", BCRYPT)))))
                .hasMessageContaining("/consumers/0/id");
        assertThatThrownBy(() -> harness(Map.of("file", "/nowhere/users"))).hasMessageContaining("/file");
    }
}
