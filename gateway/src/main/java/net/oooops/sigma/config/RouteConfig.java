package net.oooops.sigma.config;

import java.util.List;

/**
 * One match and where it leads. A condition that is an empty list always holds.
 *
 * @param id unique within its router
 * @param desc free text, empty where not given
 * @param path exact {@code /a/b}, prefix {@code /a/*}, parameter {@code /a/:id/c}, or {@code *}; normalised
 * @param allowMethods method tokens as written (methods are case-sensitive, RFC 9110 section 9.1)
 * @param consumes media ranges, lower case, of the request's Content-Type
 * @param produces media types, lower case, that the request's Accept must admit
 * @param headers all of them must hold
 * @param queries all of them must hold
 * @param proxyPassId the id of a proxy-pass; empty where plugins alone answer, or there is a sub-router
 * @param subRouterId the id of a router whose routes stand below the path; empty where there is none
 * @param plugins in the order written
 */
public record RouteConfig(
        String id,
        String desc,
        String path,
        List<String> allowMethods,
        List<String> consumes,
        List<String> produces,
        List<ValueMatch> headers,
        List<ValueMatch> queries,
        String proxyPassId,
        String subRouterId,
        List<PluginConfig> plugins) {

    public RouteConfig {
        allowMethods = List.copyOf(allowMethods);
        consumes = List.copyOf(consumes);
        produces = List.copyOf(produces);
        headers = List.copyOf(headers);
        queries = List.copyOf(queries);
        plugins = List.copyOf(plugins);
    }

    /** One without a sub-router. */
    public RouteConfig(
            String id,
            String desc,
            String path,
            List<String> allowMethods,
            List<String> consumes,
            List<String> produces,
            List<ValueMatch> headers,
            List<ValueMatch> queries,
            String proxyPassId,
            List<PluginConfig> plugins) {
        this(id, desc, path, allowMethods, consumes, produces, headers, queries, proxyPassId, "", plugins);
    }
}
