/**
 * Two plugins in a jar of their own: {@code example-request-id} works on the event loop, {@code slow-lookup} blocks and so runs on
 * virtual threads.
 *
 * <p>Place in the flow: plugins of the chain. Factories are called on the thread that compiles a configuration, plugins on
 * every event loop or, where they block, on virtual threads.
 */
@NullMarked
package com.example.sigma;

import org.jspecify.annotations.NullMarked;
