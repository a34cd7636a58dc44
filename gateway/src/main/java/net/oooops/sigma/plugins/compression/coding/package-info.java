/**
 * Content codings (RFC 9110 section 8.4.1), packed and unpacked a part at a time: gzip and deflate of the JDK, br and zstd of native libraries, which are
 * loaded where a plugin wants them.
 *
 * <p>Place in the flow: beneath the plugins of {@code compression}, whose transforms call it on the exchange's event loop. A coder belongs to one
 * body at a time.
 */
@NullMarked
package net.oooops.sigma.plugins.compression.coding;

import org.jspecify.annotations.NullMarked;
