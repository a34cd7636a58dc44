package net.oooops.sigma.plugins.authentication.basicauth;

import java.util.HashMap;
import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.FileLines;
import net.oooops.sigma.plugins.authentication.basicauth.Users.User;

/** The lines of a file of Apache's htpasswd: a name, a colon and a hash. Empty ones, and those that begin with {@code #}, say nothing. */
final class Htpasswd {
    private Htpasswd() {}

    /**
     * The users of a file, and those that are known without it, which hold.
     *
     * @param consumers what is known of users, those of the file included
     * @throws UnfitException with the number of a line that can't be used, and without what stands there; or where it is empty
     */
    static Map<String, User> with(Map<String, User> own, Map<String, Consumer> consumers, String text) {
        Map<String, User> users = new HashMap<>();
        int number = 0;
        for (String each : FileLines.of(text)) {
            String line = each.strip();
            number++;
            if (!line.isEmpty() && !line.startsWith("#")) {
                User user = user(consumers, line, number);
                if (users.put(user.consumer().id(), user) != null) {
                    throw new UnfitException("in line " + number + " a user that no line before has");
                }
            }
        }
        users.putAll(own);
        return users;
    }

    private static User user(Map<String, Consumer> consumers, String line, int number) {
        int colon = line.indexOf(':');
        String name = line.substring(0, Math.max(colon, 0));
        if (!Consumer.isId(name)) {
            throw new UnfitException("in line " + number + " a user, a colon and a hash of the password");
        }
        Consumer known = consumers.get(name);
        try {
            PasswordHash hash = PasswordHash.of(line.substring(colon + 1));
            return new User(known == null ? Consumer.of(name) : known, hash);
        } catch (UnfitException e) {
            throw new UnfitException("in line " + number + " " + e.expected());
        }
    }
}
