package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pages of the checkout link to in it is there: files, and headings of other pages. */
class LinksTest {
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\n]*`");
    private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*)$");
    private static final Pattern LINKED = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void allThatIsLinkedToIsThere() throws IOException {
        List<Path> pages = pages(SourceFile.checkout());
        assertThat(pages).hasSizeGreaterThan(50);
        List<String> broken = new ArrayList<>();
        for (Path page : pages) {
            broken.addAll(broken(page));
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void whatIsNotThereIsFound() throws IOException {
        Files.writeString(folder.resolve("other.md"), "# A `b` and, c\n```\n# none\n```\n## A `b` and, c\n");
        Path page = Files.writeString(
                folder.resolve("page.md"),
                "# Top\n[a](other.md#a-b-and-c) [b](other.md#a-b-and-c-1) [c](#top) [d](https://a.example/#x) `[e](gone)`\n"
                        + "[f](gone.md) [g](other.md#none) [h](#bottom)\n");

        assertThat(broken(page)).containsExactly(page + ": gone.md", page + ": other.md#none", page + ": #bottom");
    }

    private static List<Path> pages(Path checkout) throws IOException {
        List<Path> pages = new ArrayList<>();
        Files.walkFileTree(checkout, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                String name = String.valueOf(dir.getFileName());
                boolean left = name.equals("target") || (name.startsWith(".") && !dir.equals(checkout));
                return left ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    pages.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return pages;
    }

    private List<String> broken(Path page) throws IOException {
        String text = CODE.matcher(Files.readString(page)).replaceAll("");
        List<String> broken = new ArrayList<>();
        for (MatchResult link : LINK.matcher(text).results().toList()) {
            String to = link.group(1);
            if (!ELSEWHERE.matcher(to).matches() && !isThere(page, to)) {
                broken.add(page + ": " + to);
            }
        }
        return broken;
    }

    private boolean isThere(Path page, String to) throws IOException {
        int mark = to.indexOf('#');
        String name = mark < 0 ? to : to.substring(0, mark);
        Path file = name.isEmpty() ? page : page.resolveSibling(name).normalize();
        if (!Files.exists(file)) {
            return false;
        }
        return mark < 0 || !file.toString().endsWith(".md") || anchors(file).contains(to.substring(mark + 1));
    }

    /** As GitHub makes them of headings. */
    private Set<String> anchors(Path page) throws IOException {
        Set<String> known = anchors.get(page);
        if (known != null) {
            return known;
        }
        Set<String> all = new HashSet<>();
        String text = FENCED.matcher(Files.readString(page)).replaceAll("");
        for (MatchResult heading : HEADING.matcher(text).results().toList()) {
            String shown = LINKED.matcher(heading.group(1)).replaceAll("$1").strip();
            String anchor = shown.toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                    .replace(' ', '-');
            String free = anchor;
            for (int i = 1; !all.add(free); i++) {
                free = anchor + "-" + i;
            }
        }
        anchors.put(page, all);
        return all;
    }
}
