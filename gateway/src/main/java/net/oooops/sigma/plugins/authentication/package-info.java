/**
 * What the plugins {@code key-auth}, {@code basic-auth} and {@code jwt} share: where credentials stand in a request and how they are taken out of
 * it, what is remembered of those that were verified, and files that are followed as they change.
 *
 * <p>Place in the flow: below the three plugins, which are packages of their own in here. On event loops, but for what reads files.
 */
@NullMarked
package net.oooops.sigma.plugins.authentication;

import org.jspecify.annotations.NullMarked;
