package net.oooops.sigma.config;

/**
 * What the gateway's own answers with one status carry ({@code plugins.error-pages}).
 *
 * @param contentType the Content-Type
 * @param body the text, from the configuration or from the file that it names, sent as UTF-8
 */
public record ErrorPage(String contentType, String body) {}
