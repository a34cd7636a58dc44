/**
 * Content codings (RFC 9110 section 8.4.1), packed and unpacked a part at a time. gzip is packed by the system's zlib, or the JDK's where there is none, and
 * unpacked by the JDK, as is deflate; br and zstd are of native libraries. What isn't the JDK's is loaded where a plugin wants it.
 *
 * <p>Place in the flow: beneath the plugins of {@code compression}, whose transforms call it on the exchange's event loop. A coder belongs to one
 * body at a time.
 */
@NullMarked
package net.oooops.sigma.plugins.compression.coding;

import org.jspecify.annotations.NullMarked;
