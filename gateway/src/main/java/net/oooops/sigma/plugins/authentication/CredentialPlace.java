package net.oooops.sigma.plugins.authentication;

import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** A place in a request where a credential may stand. Immutable. */
interface CredentialPlace {
    /** What is given for a credential that is there and can't be one: empty, several, or badly encoded. */
    String UNREADABLE = "";

    /** The credential, null where there is none, or {@link #UNREADABLE}. */
    @Nullable String read(RequestHead head);

    /** Takes all of it out of the request. */
    void hide(RequestHead head);
}
