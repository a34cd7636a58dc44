package net.oooops.sigma.plugin.jars;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import net.oooops.sigma.api.PluginFactory;
import org.jspecify.annotations.Nullable;

/**
 * The classes of one drop-in. They see the JDK's, Sigma's api and SLF4J as the gateway has them, and those of their own jars: nothing else of the gateway's, and
 * nothing of other plugins', so that each may have its own version of a library.
 */
final class DropInLoader extends ClassLoader {
    /** Whose classes are the gateway's for everybody. */
    static final String API = PluginFactory.class.getPackageName() + ".";

    private static final String LOG = "org.slf4j.";

    static {
        registerAsParallelCapable();
    }

    private final List<PrivateJar> jars;

    /** @param jars in the order in which they are asked */
    DropInLoader(String name, List<PrivateJar> jars) {
        super(name, new Given());
        this.jars = List.copyOf(jars);
    }

    /** What plugins have in common with the gateway. */
    private static final class Given extends ClassLoader {
        private static final ClassLoader GATEWAY = Given.class.getClassLoader();

        static {
            registerAsParallelCapable();
        }

        Given() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith(API) || name.startsWith(LOG)) {
                return GATEWAY.loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.startsWith(API)) {
            // One of another version's, which the gateway would not know.
            throw new ClassNotFoundException(name);
        }
        String path = name.replace('.', '/').concat(".class");
        for (PrivateJar jar : jars) {
            JarEntry entry = jar.entry(path);
            if (entry != null) {
                return define(name, jar, entry);
            }
        }
        throw new ClassNotFoundException(name);
    }

    private Class<?> define(String name, PrivateJar jar, JarEntry entry) throws ClassNotFoundException {
        try {
            byte[] bytes = jar.bytes(entry);
            definePackage(name, jar);
            return defineClass(name, bytes, 0, bytes.length, jar.domain());
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private void definePackage(String name, PrivateJar jar) {
        int dot = name.lastIndexOf('.');
        if (dot < 0 || getDefinedPackage(name.substring(0, dot)) != null) {
            return;
        }
        try {
            definePackage(
                    name.substring(0, dot),
                    jar.attribute(Attributes.Name.SPECIFICATION_TITLE),
                    jar.attribute(Attributes.Name.SPECIFICATION_VERSION),
                    jar.attribute(Attributes.Name.SPECIFICATION_VENDOR),
                    jar.attribute(Attributes.Name.IMPLEMENTATION_TITLE),
                    jar.attribute(Attributes.Name.IMPLEMENTATION_VERSION),
                    jar.attribute(Attributes.Name.IMPLEMENTATION_VENDOR),
                    null);
        } catch (IllegalArgumentException e) {
            // Another thread was first.
            return;
        }
    }

    @Override
    protected @Nullable URL findResource(String name) {
        for (PrivateJar jar : jars) {
            JarEntry entry = jar.entry(name);
            if (entry != null) {
                return jar.url(entry);
            }
        }
        return null;
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        List<URL> all = new ArrayList<>();
        for (PrivateJar jar : jars) {
            JarEntry entry = jar.entry(name);
            if (entry != null) {
                all.add(jar.url(entry));
            }
        }
        return Collections.enumeration(all);
    }
}
