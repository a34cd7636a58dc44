package net.oooops.sigma.plugin.condition;

import java.util.List;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;

/** The fields of a request, asked for by their names. */
record Headers(RequestHead head) {
    /** Its value; several are one list (RFC 9110 section 5.3). Empty where there is none. */
    String value(FieldName name) {
        if (!head.has(name)) {
            return "";
        }
        List<String> values = head.values(name);
        if (values.size() == 1) {
            return values.getFirst();
        }
        // Cookies may come in several fields (RFC 9113 section 8.2.3).
        return String.join(name.equals(CookieName.FIELD) ? "; " : ", ", values);
    }

    boolean has(FieldName name) {
        return head.has(name);
    }
}
