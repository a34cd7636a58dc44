package net.oooops.sigma.plugins.authentication.oidc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import org.jspecify.annotations.Nullable;

/**
 * A user who has logged in. Immutable.
 *
 * @param place where it lies, known to its browser alone; empty where it lies nowhere but there
 * @param subject who it is at the provider
 * @param consumer the same for nodes
 * @param access the access token; empty where nobody gets it
 * @param refresh with which the provider is asked whether the user is still logged in; empty: nobody asks
 * @param identity the ID token, by which the provider knows what to end at a logout; empty where there was no room
 * @param endMillis when it is over, whatever the provider says
 * @param freshMillis until when it holds without asking the provider
 * @param goodMillis until when the access token is good, by which it goes on where the provider can't be asked; 0 where nobody said
 * @param renewalsCount how often it was renewed
 */
record Session(
        String place,
        String subject,
        Consumer consumer,
        String access,
        String refresh,
        String identity,
        long endMillis,
        long freshMillis,
        long goodMillis,
        long renewalsCount) {

    /** Whether it is over. */
    boolean isOver(long nowMillis) {
        return nowMillis >= endMillis;
    }

    /** Whether the provider is to be asked. */
    boolean isStale(long nowMillis) {
        return nowMillis >= freshMillis && !refresh.isEmpty();
    }

    /** Whether it holds although the provider, which was to be asked, can't be. */
    boolean isGood(long nowMillis) {
        return nowMillis < goodMillis;
    }

    /** The same without its ID token. */
    Session withoutIdentity() {
        return new Session(
                place, subject, consumer, access, refresh, "", endMillis, freshMillis, goodMillis, renewalsCount);
    }

    /** The same in that place. */
    Session at(String other) {
        return new Session(
                other, subject, consumer, access, refresh, identity, endMillis, freshMillis, goodMillis, renewalsCount);
    }

    /** The same, to which that one was renewed. */
    Session after(Session before) {
        return new Session(
                before.place,
                subject,
                consumer,
                access,
                refresh,
                identity,
                endMillis,
                freshMillis,
                goodMillis,
                before.renewalsCount + 1);
    }

    /** It as bytes; null where a part of it is longer than could be kept anywhere. */
    byte @Nullable [] toBytes() {
        try {
            return written();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private byte[] written() {
        SealedText.Writer to = new SealedText.Writer();
        to.number(endMillis).number(freshMillis).number(renewalsCount);
        to.text(place)
                .text(subject)
                .text(consumer.id())
                .text(access)
                .text(refresh)
                .text(identity);
        to.number(consumer.fields().size());
        for (Field field : consumer.fields()) {
            to.text(field.name().toString()).text(field.value());
        }
        to.number(goodMillis);
        return to.toBytes();
    }

    /** What was written so; null where it is something else, as of another version. */
    static @Nullable Session of(byte[] bytes) {
        SealedText.Reader from = new SealedText.Reader(bytes);
        try {
            long end = from.number();
            long fresh = from.number();
            long renewals = from.number();
            String place = from.text();
            String subject = from.text();
            String id = from.text();
            String access = from.text();
            String refresh = from.text();
            String identity = from.text();
            List<Field> fields = new ArrayList<>();
            for (long left = from.number(); left > 0; left--) {
                fields.add(Field.of(from.text(), from.text()));
            }
            Consumer consumer = Consumer.of(id, fields.toArray(Field[]::new));
            // Those that were sealed before it was written have nothing there.
            long good = from.isAtEnd() ? 0 : from.number();
            return new Session(place, subject, consumer, access, refresh, identity, end, fresh, good, renewals);
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }

    /** Nothing of what is secret. */
    @Override
    public String toString() {
        return "(session)";
    }
}
