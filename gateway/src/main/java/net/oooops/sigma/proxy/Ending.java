package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.observe.AccessRecord;
import org.jspecify.annotations.Nullable;

/**
 * What has become of an exchange beside its answer, for plugins, clients and the access log: what it failed with, or why a plugin answered or refused it. Made
 * once with the exchange, and used again.
 */
final class Ending {
    private @Nullable Fault fault;
    private @Nullable String detail;
    private @Nullable Reason reason;
    private @Nullable String note;

    /** Makes it ready for another request. */
    void reset() {
        fault = null;
        detail = null;
        reason = null;
        note = null;
    }

    /** It failed. What is said of that beside, and the reason of the plugin that refused it, if one did and says why. */
    void failed(Fault with, String saying, @Nullable Reason of) {
        fault = with;
        detail = saying;
        reason = of;
    }

    /** A plugin has answered it for that reason, which is told in the place of a fault. */
    void answeredFor(Reason why) {
        reason = why;
    }

    /** Its answer was complete, and not all of it will leave. */
    void cut(Fault by) {
        fault = by;
        reason = null;
    }

    /** That is said beside, if it is anything, and what was said before. */
    void note(@Nullable String more) {
        note = AccessRecord.joined(note, more);
    }

    /** It holds nothing of a plugin any more. */
    void forgetReason() {
        reason = null;
    }

    /** What it failed with, if it did. */
    @Nullable Fault fault() {
        return fault;
    }

    boolean hasFailed() {
        return fault != null;
    }

    /** Whether it was refused in a way that leaves nothing to wait for of what its client sends. */
    boolean isRefused() {
        Fault now = fault;
        return now != null && now.closesConnection() && now != Fault.BODY_TOO_LARGE;
    }

    /** Why a plugin has answered or refused it, where it says. */
    @Nullable Reason reason() {
        return reason;
    }

    /** What is said beside the fault; null where nothing is, or it hasn't failed. */
    @Nullable String detail() {
        return detail == null || detail.isEmpty() ? null : detail;
    }

    /** What the access log says beside. */
    @Nullable String note() {
        return note;
    }
}
