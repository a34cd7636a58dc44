/**
 * sigma.json in, immutable records out, or every problem at once.
 *
 * <p>Place in the flow: {@code control} and {@code cli} call {@link net.oooops.sigma.config.ConfigReader}; {@code snapshot}
 * compiles the records that it returns. Nothing here knows Netty or Vert.x. Everything runs on the caller's thread, at start and
 * at reload, never on an event loop; what is returned is immutable and may be shared between threads.
 */
@NullMarked
package net.oooops.sigma.config;

import org.jspecify.annotations.NullMarked;
