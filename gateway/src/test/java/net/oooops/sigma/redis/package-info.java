/** Tests of Redis for plugins, with Debian's redis-server and with one that lies. */
@NullMarked
package net.oooops.sigma.redis;

import org.jspecify.annotations.NullMarked;
