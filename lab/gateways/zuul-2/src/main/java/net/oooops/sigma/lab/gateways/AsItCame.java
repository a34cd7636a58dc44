package net.oooops.sigma.lab.gateways;

import com.netflix.zuul.Filter;
import com.netflix.zuul.filters.FilterType;
import com.netflix.zuul.filters.http.HttpOutboundSyncFilter;
import com.netflix.zuul.message.http.HttpResponseMessage;

/** Changes no answer: Zuul wants an outbound filter in any case. */
@Filter(order = 0, type = FilterType.OUTBOUND)
public class AsItCame extends HttpOutboundSyncFilter {

    @Override
    public int filterOrder() {
        return 0;
    }

    @Override
    public boolean shouldFilter(HttpResponseMessage response) {
        return false;
    }

    @Override
    public HttpResponseMessage apply(HttpResponseMessage response) {
        return response;
    }
}
