package net.oooops.sigma.reachability;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A line of {@link Lookups}: something that was looked up by name.
 *
 * @param kind {@code type}, {@code field}, {@code method}, {@code all}, {@code resource}, {@code proxy} or {@code defined}
 * @param type a class, where there is one
 * @param member its field, its method with parameters, or a resource
 * @param caller the class whose method did it
 * @param method that method
 * @param descriptor the types of its parameters and result
 * @param index of the instruction, in bytes
 */
record LookedUp(String kind, String type, String member, String caller, String method, String descriptor, int index) {
    /** So many instructions before a call may hand it what it takes. */
    private static final int BEFORE = 12;

    /** Each looks up many things. */
    private static final Map<String, ClassModel> CALLERS = new ConcurrentHashMap<>();

    private static final Set<String> CALLS = Set.of(
            "forName",
            "loadClass",
            "getField",
            "getDeclaredField",
            "getMethod",
            "getDeclaredMethod",
            "getConstructor",
            "getDeclaredConstructor",
            "getFields",
            "getDeclaredFields",
            "getMethods",
            "getDeclaredMethods",
            "getConstructors",
            "getDeclaredConstructors",
            "getRecordComponents",
            "getResource",
            "getResources",
            "getResourceAsStream",
            "newProxyInstance",
            "defineClass",
            "defineHiddenClass");

    static LookedUp of(String line) {
        String[] parts = line.split("\t", -1);
        return new LookedUp(
                parts[0], plain(parts[1]), parts[2], parts[3], parts[4], parts[5], Integer.parseInt(parts[6]));
    }

    /** As code writes it, where the JVM has {@code [B}. */
    private static String plain(String type) {
        return type.startsWith("[")
                ? ClassDesc.ofDescriptor(type.replace('.', '/')).displayName()
                : type;
    }

    /** Whether there is such a thing: who looks for what isn't there gets the same answer from a native image. */
    boolean exists(ClassLoader loader) {
        if (kind.equals("resource")) {
            return loader.getResource(member) != null;
        }
        if (type.endsWith("[]") || type.isEmpty()) {
            return true;
        }
        try {
            Class<?> found = Class.forName(type, false, loader);
            return switch (kind) {
                case "field" ->
                    Arrays.stream(found.getDeclaredFields())
                            .anyMatch(each -> each.getName().equals(member));
                case "method" -> hasMethod(found);
                default -> true;
            };
        } catch (ClassNotFoundException e) {
            // Several interfaces of a proxy are no name of one.
            return kind.equals("proxy");
        }
    }

    private boolean hasMethod(Class<?> found) {
        String name = member.replaceFirst("\\(.*", "");
        return name.equals("<init>")
                ? found.getDeclaredConstructors().length > 0
                : Stream.concat(Arrays.stream(found.getDeclaredMethods()), Arrays.stream(found.getMethods()))
                        .anyMatch(each -> each.getName().equals(name));
    }

    /** Whether it is only looked at, and not called: Netty asks which events a handler wants. */
    boolean isQuery() {
        return caller.startsWith("io.netty.channel.ChannelHandlerMask");
    }

    /** Whether an annotation is read: an image has those of all that is in it. */
    boolean isOfAnnotation() {
        return caller.contains(".$Proxy");
    }

    /** Whether it was asked for by name: a class is loaded for other reasons, too. */
    boolean isAsked(ClassLoader loader) {
        List<Instruction> call = call(loader);
        // Native code has no other way.
        return call.isEmpty() || (call.getLast() instanceof InvokeInstruction invoked && isLookup(invoked));
    }

    /** Not where the class is loaded that has a static method of that name. */
    private static boolean isLookup(InvokeInstruction invoked) {
        boolean ofTheJdk = invoked.owner().asInternalName().startsWith("java/");
        return CALLS.contains(invoked.name().stringValue()) && (ofTheJdk || invoked.opcode() != Opcode.INVOKESTATIC);
    }

    /**
     * Whether what is looked up stands in the code as it is, where the analysis of a native image sees it; of resources only those that a class is asked for, and
     * not a class loader.
     */
    boolean isConstant(ClassLoader loader) {
        List<ConstantDesc> constants = new ArrayList<>();
        List<Instruction> call = call(loader);
        for (Instruction each : call) {
            if (each instanceof LoadConstantInstruction loaded) {
                constants.add(loaded.constantValue());
            }
        }
        String name = member.replaceFirst("\\(.*", "");
        return switch (kind) {
            case "type" -> constants.contains(type);
            case "field", "method" ->
                (name.equals("<init>") || constants.contains(name)) && constants.contains(ClassDesc.of(type));
            case "all" -> constants.contains(ClassDesc.of(type));
            case "resource" ->
                !call.isEmpty()
                        && call.getLast() instanceof InvokeInstruction invoked
                        && invoked.owner().asInternalName().equals("java/lang/Class")
                        && constants.stream()
                                .anyMatch(each ->
                                        each instanceof String said && member.endsWith(said.replaceFirst("^/", "")));
            default -> false;
        };
    }

    /** The call, and what is before it; nothing where native code does it. */
    private List<Instruction> call(ClassLoader loader) {
        List<Instruction> all = new ArrayList<>();
        int at = 0;
        List<CodeElement> code = code(loader);
        for (CodeElement element : code) {
            if (element instanceof Instruction instruction) {
                all.add(instruction);
                if (at == index) {
                    return all.subList(Math.max(0, all.size() - 1 - BEFORE), all.size());
                }
                at += instruction.sizeInBytes();
            }
        }
        if (code.isEmpty()) {
            return List.of();
        }
        throw new IllegalStateException("no instruction " + index + " in " + caller + "." + method);
    }

    private List<CodeElement> code(ClassLoader loader) {
        for (MethodModel each :
                CALLERS.computeIfAbsent(caller, name -> parsed(name, loader)).methods()) {
            if (each.methodName().equalsString(method) && each.methodType().equalsString(descriptor)) {
                return each.code().map(code -> code.elementList()).orElse(List.of());
            }
        }
        throw new IllegalStateException("no method " + method + descriptor + " in " + caller);
    }

    private static ClassModel parsed(String name, ClassLoader loader) {
        try (InputStream in = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new IllegalStateException("no class " + name);
            }
            return ClassFile.of().parse(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return kind + " " + type + " " + member + ", by " + caller + "." + method;
    }
}
