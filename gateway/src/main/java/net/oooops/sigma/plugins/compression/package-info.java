/**
 * Bodies that are packed or unpacked on their way: {@code compression} and {@code gzip} pack answers by what their clients accept, {@code
 * decompress-request} unpacks requests for nodes that can't.
 *
 * <p>Place in the flow: plugins of the chain. Their factories are called on the thread that compiles a configuration, the plugins on every
 * event loop, and so are the transforms that they have bodies pass.
 */
@NullMarked
package net.oooops.sigma.plugins.compression;

import org.jspecify.annotations.NullMarked;
