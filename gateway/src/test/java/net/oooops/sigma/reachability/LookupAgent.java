package net.oooops.sigma.reachability;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An agent of the JVM that has {@link Lookups} write down what is looked up by name: the JDK's methods for that call it first.
 *
 * <p>As GraalVM's own agent does, which a JDK doesn't have. Lookups by native code aren't seen.
 */
public final class LookupAgent {
    private static final ClassDesc LOOKUPS = ClassDesc.of(Lookups.class.getName());
    private static final ClassDesc CLASSES = ConstantDescs.CD_Class.arrayType();

    private LookupAgent() {}

    /**
     * Called by the JVM.
     *
     * @param file that lines go to
     */
    public static void premain(String file, Instrumentation instrumentation)
            throws IOException, UnmodifiableClassException {
        Lookups.into(Path.of(file));
        instrumentation.addTransformer(new Changed(), true);
        instrumentation.retransformClasses(Class.class, ClassLoader.class, Proxy.class, MethodHandles.Lookup.class);
    }

    private static final class Changed implements ClassFileTransformer {
        private static final Map<String, Map<String, Consumer<CodeBuilder>>> CALLS = Map.of(
                "java/lang/Class",
                Map.ofEntries(
                        Map.entry("forName(String)", code -> call(code.aload(0), "type", ConstantDescs.CD_String)),
                        Map.entry(
                                "forName(String,boolean,ClassLoader)",
                                code -> call(code.aload(0), "type", ConstantDescs.CD_String)),
                        Map.entry("getField(String)", named("field")),
                        Map.entry("getDeclaredField(String)", named("field")),
                        Map.entry("getMethod(String,Class[])", Changed::method),
                        Map.entry("getDeclaredMethod(String,Class[])", Changed::method),
                        Map.entry("getConstructor(Class[])", Changed::constructor),
                        Map.entry("getDeclaredConstructor(Class[])", Changed::constructor),
                        Map.entry("getFields()", all("fields")),
                        Map.entry("getDeclaredFields()", all("fields")),
                        Map.entry("getMethods()", all("methods")),
                        Map.entry("getDeclaredMethods()", all("methods")),
                        Map.entry("getConstructors()", all("constructors")),
                        Map.entry("getDeclaredConstructors()", all("constructors")),
                        Map.entry("getRecordComponents()", all("components")),
                        Map.entry("getResource(String)", named("resource")),
                        Map.entry("getResourceAsStream(String)", named("resource"))),
                "java/lang/ClassLoader",
                Map.of(
                        "loadClass(String)", code -> call(code.aload(1), "type", ConstantDescs.CD_String),
                        "getResource(String)", code -> call(code.aload(1), "resource", ConstantDescs.CD_String),
                        "getResources(String)", code -> call(code.aload(1), "resource", ConstantDescs.CD_String),
                        "getResourceAsStream(String)", code -> call(code.aload(1), "resource", ConstantDescs.CD_String),
                        "defineClass(String,byte[],int,int,ProtectionDomain)", code -> call(code, "defined"),
                        "defineClass(String,byte[],int,int)", code -> call(code, "defined")),
                "java/lang/reflect/Proxy",
                Map.of(
                        "newProxyInstance(ClassLoader,Class[],InvocationHandler)",
                        code -> call(code.aload(1), "proxy", CLASSES)),
                "java/lang/invoke/MethodHandles$Lookup",
                Map.of(
                        "defineClass(byte[])", code -> call(code, "defined"),
                        "defineHiddenClass(byte[],boolean,ClassOption[])", code -> call(code, "defined")));

        private static void call(CodeBuilder code, String name, ClassDesc... parameters) {
            code.invokestatic(LOOKUPS, name, MethodTypeDesc.of(ConstantDescs.CD_void, parameters));
        }

        private static Consumer<CodeBuilder> named(String name) {
            return code -> call(code.aload(0).aload(1), name, ConstantDescs.CD_Class, ConstantDescs.CD_String);
        }

        private static void method(CodeBuilder code) {
            call(code.aload(0).aload(1).aload(2), "method", ConstantDescs.CD_Class, ConstantDescs.CD_String, CLASSES);
        }

        private static void constructor(CodeBuilder code) {
            call(code.aload(0).aload(1), "constructor", ConstantDescs.CD_Class, CLASSES);
        }

        private static Consumer<CodeBuilder> all(String what) {
            return code -> call(code.aload(0).ldc(what), "all", ConstantDescs.CD_Class, ConstantDescs.CD_String);
        }

        @Override
        public byte @Nullable [] transform(
                ClassLoader loader, String name, Class<?> changed, ProtectionDomain domain, byte[] bytes) {
            Map<String, Consumer<CodeBuilder>> calls = CALLS.get(name);
            if (calls == null) {
                return null;
            }
            ClassFile format = ClassFile.of();
            ClassModel model = format.parse(bytes);
            return format.transformClass(model, (builder, element) -> {
                Consumer<CodeBuilder> call =
                        element instanceof MethodModel method ? calls.get(signature(method)) : null;
                if (call == null) {
                    builder.with(element);
                } else {
                    builder.transformMethod((MethodModel) element, MethodTransform.transformingCode(first(call)));
                }
            });
        }

        private static String signature(MethodModel method) {
            StringBuilder text = new StringBuilder(method.methodName().stringValue()).append('(');
            String before = "";
            for (ClassDesc parameter : method.methodTypeSymbol().parameterList()) {
                text.append(before).append(parameter.displayName().replaceFirst("^.*\\$", ""));
                before = ",";
            }
            return text.append(')').toString();
        }

        /** Does that before everything else. */
        private static CodeTransform first(Consumer<CodeBuilder> call) {
            return new CodeTransform() {
                @Override
                public void atStart(CodeBuilder code) {
                    call.accept(code);
                }

                @Override
                public void accept(CodeBuilder code, CodeElement element) {
                    code.with(element);
                }
            };
        }
    }
}
