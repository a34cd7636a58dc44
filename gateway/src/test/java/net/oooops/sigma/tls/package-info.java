/** Encrypted connections of clients. */
@NullMarked
package net.oooops.sigma.tls;

import org.jspecify.annotations.NullMarked;
