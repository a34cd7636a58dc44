package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a browser does of its own: follows redirections, keeps cookies, and sends forms. */
final class Browser implements AutoCloseable {
    private static final Pattern ACTION = Pattern.compile("<form[^>]* action=\"([^\"]+)\"");
    private static final Pattern HIDDEN =
            Pattern.compile("<input type=\"hidden\" name=\"([^\"]+)\" value=\"([^\"]*)\"");

    private final HttpClient client = HttpClient.newBuilder()
            .cookieHandler(new CookieManager(null, CookiePolicy.ACCEPT_ALL))
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();

    /** What it shows. */
    record Page(String url, String text) {}

    /** Goes to a page. */
    Page go(String url) {
        return show(HttpRequest.newBuilder(URI.create(url)));
    }

    /** Sends the first form of a page, with its hidden fields and these. */
    Page submit(Page page, String fields) {
        Matcher action = ACTION.matcher(page.text);
        assertThat(action.find()).as(page.text).isTrue();
        StringBuilder form = new StringBuilder(fields);
        Matcher hidden = HIDDEN.matcher(page.text);
        while (hidden.find()) {
            form.append(form.isEmpty() ? "" : "&")
                    .append(hidden.group(1))
                    .append('=')
                    .append(hidden.group(2));
        }
        return show(HttpRequest.newBuilder(URI.create(page.url).resolve(action.group(1)))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form.toString())));
    }

    private Page show(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response =
                    client.send(request.header("Accept", "text/html").build(), HttpResponse.BodyHandlers.ofString());
            return new Page(response.uri().toString(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
