package net.oooops.sigma.examples;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a line of curl sends, as far as the examples use it: {@code -i}, {@code -L} (its first answer), {@code -s}, {@code -X}, {@code -H}, {@code -d}, a range in the URL,
 * {@code --cacert}, and zeroes piped into {@code --data-binary @-}. Anything else is refused.
 *
 * @param port as written in the line, of the file rather than of the test
 * @param requests one for each URL of the range
 */
record Curl(int port, String method, List<byte[]> requests) {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Pattern ZEROES = Pattern.compile("head -c (\\d+) /dev/zero \\| (curl .*)");
    private static final Pattern URL =
            Pattern.compile("https?://(localhost:(\\d+))(/[^\\[\\]]*)(?:\\[(\\d+)-(\\d+)])?");

    /** Reads the line. */
    static Curl of(String line) {
        Matcher zeroes = ZEROES.matcher(line);
        return zeroes.matches()
                ? new Line("\0".repeat(Integer.parseInt(zeroes.group(1)))).read(zeroes.group(2))
                : new Line("").read(line);
    }

    private static final class Line {
        private final Map<String, String> fields = new LinkedHashMap<>();
        private final String piped;
        private String method = "GET";
        private String body = "";
        private String url = "";

        Line(String piped) {
            this.piped = piped;
        }

        Curl read(String line) {
            List<String> words = new ArrayList<>();
            WORD.matcher(line)
                    .results()
                    .forEach(word -> words.add(word.group(1) == null ? word.group(2) : word.group(1)));
            field("User-Agent: curl/8");
            field("Accept: */*");
            for (int i = 1; i < words.size(); i++) {
                i += option(words.get(i), i + 1 < words.size() ? words.get(i + 1) : "");
            }
            return requests();
        }

        /** Takes one option, or the URL, and says how many words more it took. */
        private int option(String word, String next) {
            switch (word) {
                case "-i", "-s", "-iL" -> {
                    return 0;
                }
                case "--cacert" -> {
                    // Who connects knows whom to trust.
                    return 1;
                }
                case "-X" -> method = next;
                case "-H" -> field(next);
                case "-u" ->
                    field("Authorization: Basic "
                            + Base64.getEncoder().encodeToString(next.getBytes(StandardCharsets.UTF_8)));
                case "-d" -> post(next);
                case "--data-binary" -> post(next.equals("@-") ? piped : next);
                default -> {
                    url = word;
                    return 0;
                }
            }
            return 1;
        }

        private void field(String line) {
            int colon = line.indexOf(':');
            fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }

        private void post(String text) {
            method = "POST";
            body = text;
            fields.putIfAbsent("Content-Type", "application/x-www-form-urlencoded");
            fields.put("Content-Length", String.valueOf(text.length()));
        }

        private Curl requests() {
            Matcher parts = URL.matcher(url);
            if (!parts.matches()) {
                throw new IllegalArgumentException(url + " (expected: " + URL + ")");
            }
            fields.putIfAbsent("Host", parts.group(1));
            List<byte[]> requests = new ArrayList<>();
            if (parts.group(4) == null) {
                requests.add(request(parts.group(3)));
            } else {
                int last = Integer.parseInt(parts.group(5));
                for (int i = Integer.parseInt(parts.group(4)); i <= last; i++) {
                    requests.add(request(parts.group(3) + i));
                }
            }
            return new Curl(Integer.parseInt(parts.group(2)), method, requests);
        }

        private byte[] request(String target) {
            StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
            fields.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
            return text.append("\r\n").append(body).toString().getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
