package net.oooops.sigma.plugins.authentication.clientcertificate;

import java.util.ArrayList;
import java.util.List;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** The common name in a subject. Pure functions. */
final class CommonName {
    private CommonName() {}

    /** The one that it has; null where it has none, several, or one that is no text. */
    static @Nullable String of(X500Principal subject) {
        List<Object> found = new ArrayList<>(1);
        try {
            for (Rdn part : new LdapName(subject.getName(X500Principal.RFC2253)).getRdns()) {
                addTo(found, part.toAttributes().get("CN"));
            }
        } catch (NamingException e) {
            return null;
        }
        return found.size() == 1 && found.getFirst() instanceof String text ? text : null;
    }

    private static void addTo(List<Object> found, @Nullable Attribute names) throws NamingException {
        for (int i = 0; names != null && i < names.size(); i++) {
            found.add(names.get(i));
        }
    }
}
