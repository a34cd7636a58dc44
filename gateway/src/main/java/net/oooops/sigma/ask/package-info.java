/**
 * What the gateway asks of others over HTTP on its own account: issuers of certificates, and responders that say whether these still hold. Answers are
 * bounded in bytes and time, failures have plain words, and who has failed is asked again later and later. And what it asks of files, which may be on a mount
 * that doesn't answer.
 *
 * <p>Place in the flow: beside it, never in it. {@code acme} and {@code ocsp} ask, each from threads of its own, which may wait; {@code control} has another
 * that looks at files, and {@code plugin} one for each timer of a plugin. No failure ends these.
 */
@NullMarked
package net.oooops.sigma.ask;

import org.jspecify.annotations.NullMarked;
