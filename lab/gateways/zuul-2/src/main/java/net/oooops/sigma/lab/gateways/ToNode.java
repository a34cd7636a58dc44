package net.oooops.sigma.lab.gateways;

import com.netflix.zuul.Filter;
import com.netflix.zuul.context.SessionContext;
import com.netflix.zuul.filters.FilterType;
import com.netflix.zuul.filters.endpoint.ProxyEndpoint;
import com.netflix.zuul.filters.http.HttpInboundSyncFilter;
import com.netflix.zuul.message.http.HttpRequestMessage;

/** Every request goes to the one node. */
@Filter(order = 0, type = FilterType.INBOUND)
public class ToNode extends HttpInboundSyncFilter {

    static final String NODE = "node";

    @Override
    public int filterOrder() {
        return 0;
    }

    @Override
    public boolean shouldFilter(HttpRequestMessage request) {
        return true;
    }

    @Override
    public HttpRequestMessage apply(HttpRequestMessage request) {
        SessionContext context = request.getContext();
        context.setEndpoint(ProxyEndpoint.class.getCanonicalName());
        context.setRouteVIP(NODE);
        return request;
    }
}
