package net.oooops.sigma.plugins.staticresources;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;

/**
 * What is refused, each for its reason. Immutable.
 *
 * @param method to methods other than GET and HEAD
 * @param missing to what merely isn't there
 * @param hidden to what is never given out, there or not: dot files, links out of the folder, what no file may be called
 * @param precondition to who wants another version
 * @param range why ranges are refused that lie behind the end
 * @param busy where too many wait to be looked up
 */
record Refusals(Outcome method, Outcome missing, Outcome hidden, Outcome precondition, Reason range, Outcome busy) {
    static Refusals of(PluginContext context) {
        return new Refusals(
                context.reason("method").respond(Response.of(405, Field.of("Allow", "GET, HEAD"))),
                context.reason("missing").refuse(Fault.NO_ROUTE),
                context.reason("hidden").refuse(Fault.NO_ROUTE),
                context.reason("precondition").respond(Response.line(412, "The file is another version.")),
                context.reason("range"),
                context.reason("too-many-lookups").refuse(Fault.OVERLOADED));
    }
}
