package net.oooops.sigma.config;

import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.UnfitException;

/** What a text of sigma.json has to be, beyond what its schema says; also one that is typed in place of it. */
public enum TextSyntax {
    VIRTUAL_HOST,
    LISTEN_HOST,
    HOST_NAME,
    NODE_URL,
    REDIS_NODE,
    SRV_NAME,
    NAME_SERVER,
    ADDRESS_BLOCK,
    PATH,
    METHOD,
    /** That of a check of nodes. */
    PROBE_METHOD,
    MEDIA_RANGE,
    MEDIA_TYPE,
    CONTENT_TYPE,
    FIELD_NAME,
    UPGRADE,
    /** Of the access log, a name or a template. */
    LOG_FORMAT;

    /**
     * Looks whether a text is that.
     *
     * @throws UnfitException where it isn't
     */
    public void check(String text) {
        switch (this) {
            case VIRTUAL_HOST -> HostSyntax.checkVirtualHost(text);
            case LISTEN_HOST -> HostSyntax.checkListen(text);
            case HOST_NAME -> HostSyntax.checkName(text);
            case NODE_URL -> NodeUrl.node(text, NodeConfig.WEIGHT_DEFAULT);
            case REDIS_NODE -> RedisReader.node(text);
            case SRV_NAME -> HostSyntax.checkSrv(text);
            case NAME_SERVER -> DnsConfig.Server.parse(text);
            case ADDRESS_BLOCK -> Cidr.parse(text);
            case PATH -> PathSyntax.check(text);
            case METHOD -> HttpSyntax.checkMethod(text);
            case PROBE_METHOD -> HttpSyntax.checkProbeMethod(text);
            case MEDIA_RANGE -> HttpSyntax.checkMediaType(text, true);
            case MEDIA_TYPE -> HttpSyntax.checkMediaType(text, false);
            case CONTENT_TYPE -> HttpSyntax.checkContentType(text);
            case FIELD_NAME -> HttpSyntax.checkFieldName(text);
            case UPGRADE -> HttpSyntax.checkUpgrade(text);
            case LOG_FORMAT -> SectionBuilder.logFormat(text);
        }
    }
}
