package net.oooops.sigma.races;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A model of several threads, to be run under many schedules: a static method without parameters, of a class named {@code …Races}. It begins anew each time, starts its
 * threads by {@link AtOnce}, and throws where something doesn't hold. A thread that waits for ever is found, too.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Race {
    /** Under how many. */
    int schedules() default 150;
}
