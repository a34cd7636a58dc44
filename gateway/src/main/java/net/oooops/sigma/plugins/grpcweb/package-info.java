/**
 * The plugin {@code grpc-web}: lets clients of gRPC-Web, as browsers are, call nodes of gRPC.
 *
 * <p>Place in the flow: a plugin of the chain. Its factory is called on the thread that compiles a configuration, the plugin
 * on every event loop, and so are the transforms that it has the bodies of a call pass.
 */
@NullMarked
package net.oooops.sigma.plugins.grpcweb;

import org.jspecify.annotations.NullMarked;
