/**
 * The main verticle: one instance per event loop. Deployed by control through Vert.x, called on that event loop; everything else is in the
 * packages below, one per stage of the road.
 */
@NullMarked
package net.oooops.sigma;

import org.jspecify.annotations.NullMarked;
