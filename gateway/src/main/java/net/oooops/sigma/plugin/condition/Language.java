package net.oooops.sigma.plugin.condition;

import com.google.re2j.Pattern;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Metadata;

/**
 * What of CEL conditions are written in: all of it, but for what makes texts or lists longer ({@code +} of them, {@code map}, {@code filter}), and
 * {@code dyn}, which types can't be checked of. Added are {@link Fact}s, and {@code inNet}.
 *
 * <p>Fields and parameters are no maps but types of their own: a map would have the library copy all of them to look up one, and one that isn't there
 * would be an error.
 */
final class Language {
    /** The longest expression, in characters. */
    static final int CHARACTERS_MAX = 4096;

    /** How many steps all {@code all} and {@code exists} of an evaluation may take together. */
    static final int ITERATIONS_MAX = 1000;

    /** What there is, for a message. */
    static final String KNOWN =
            Arrays.stream(Fact.values()).map(Fact::word).collect(Collectors.joining(", ", "; known are ", ""));

    /** Those whose names people write in another style. */
    static final List<String> FUNCTIONS =
            List.of("startsWith", "endsWith", "contains", "matches", "size", "exists", "all", "inNet");

    private static final CelOptions OPTIONS = CelOptions.current()
            .maxExpressionCodePointSize(CHARACTERS_MAX)
            .comprehensionMaxIterations(ITERATIONS_MAX)
            .enableHeterogeneousNumericComparisons(true)
            .build();

    private static final Set<String> LEFT_OUT = Set.of("ADD_STRING", "ADD_BYTES", "ADD_LIST", "TO_DYN", "DYN");

    /** Of what holds or doesn't. */
    static final CelCompiler CONDITIONS = compiler(SimpleType.BOOL);

    /** Of texts: made where there is one. */
    static final class Texts {
        static final CelCompiler COMPILER = compiler(SimpleType.STRING);

        private Texts() {}
    }

    private Language() {}

    private static CelCompiler compiler(CelType result) {
        CelCompilerBuilder builder = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(CelStandardDeclarations.newBuilder()
                        .filterFunctions((function, overload) -> !LEFT_OUT.contains(String.valueOf(overload)))
                        .build())
                .setStandardMacros(
                        CelStandardMacro.HAS,
                        CelStandardMacro.ALL,
                        CelStandardMacro.EXISTS,
                        CelStandardMacro.EXISTS_ONE)
                .addFunctionDeclarations(declarations())
                .setResultType(result);
        for (Fact fact : Fact.values()) {
            builder.addVar(fact.word(), fact.type());
        }
        return builder.build();
    }

    private static List<CelFunctionDecl> declarations() {
        CelType text = SimpleType.STRING;
        CelType texts = ListType.create(SimpleType.STRING);
        return List.of(
                CelFunctionDecl.newFunctionDeclaration(
                        "_[_]",
                        CelOverloadDecl.newGlobalOverload(Literals.INDEX_HEADERS, text, Fact.Types.HEADERS, text),
                        CelOverloadDecl.newGlobalOverload(Literals.INDEX_PARAMS, text, Fact.Types.PARAMS, text),
                        CelOverloadDecl.newGlobalOverload(Literals.INDEX_METADATA, text, Fact.Types.METADATA, text)),
                CelFunctionDecl.newFunctionDeclaration(
                        "@in",
                        CelOverloadDecl.newGlobalOverload(
                                Literals.IN_HEADERS, SimpleType.BOOL, text, Fact.Types.HEADERS),
                        CelOverloadDecl.newGlobalOverload(Literals.IN_PARAMS, SimpleType.BOOL, text, Fact.Types.PARAMS),
                        CelOverloadDecl.newGlobalOverload(
                                Literals.IN_METADATA, SimpleType.BOOL, text, Fact.Types.METADATA)),
                CelFunctionDecl.newFunctionDeclaration(
                        "inNet",
                        CelOverloadDecl.newMemberOverload(Literals.TEXT_IN_NET, SimpleType.BOOL, text, text),
                        CelOverloadDecl.newMemberOverload(Literals.TEXT_IN_NETS, SimpleType.BOOL, text, texts),
                        CelOverloadDecl.newGlobalOverload(Literals.IN_NET, SimpleType.BOOL, text, text),
                        CelOverloadDecl.newGlobalOverload(Literals.IN_NETS, SimpleType.BOOL, text, texts)));
    }

    /** What programs run with: functions that know the texts of one expression, so that none is parsed again for each exchange. */
    @SuppressWarnings("Immutable") // Literals don't change once they are collected.
    static CelRuntime runtime(Literals of) {
        return CelRuntimeFactory.plannerRuntimeBuilder()
                .setOptions(OPTIONS)
                .setStandardFunctions(CelStandardFunctions.newBuilder()
                        .filterFunctions((function, overload) -> {
                            String name = String.valueOf(overload).toUpperCase(Locale.ROOT);
                            return !LEFT_OUT.contains(name) && !name.startsWith("MATCHES");
                        })
                        .build())
                .addFunctionBindings(
                        CelFunctionBinding.from(
                                Literals.INDEX_HEADERS,
                                Headers.class,
                                String.class,
                                (headers, name) -> headers.value(of.field(name))),
                        CelFunctionBinding.from(
                                Literals.IN_HEADERS,
                                String.class,
                                Headers.class,
                                (name, headers) -> headers.has(of.field(name))),
                        CelFunctionBinding.from(Literals.INDEX_PARAMS, Params.class, String.class, (params, name) -> {
                            String value = params.find(name);
                            return value == null ? "" : value;
                        }),
                        CelFunctionBinding.from(
                                Literals.IN_PARAMS,
                                String.class,
                                Params.class,
                                (name, params) -> params.find(name) != null),
                        CelFunctionBinding.from(
                                Literals.INDEX_METADATA, Metadata.class, String.class, (metadata, key) -> {
                                    String value = metadata.text(key);
                                    return value == null ? "" : value;
                                }),
                        CelFunctionBinding.from(
                                Literals.IN_METADATA,
                                String.class,
                                Metadata.class,
                                (key, metadata) -> metadata.text(key) != null),
                        matching(Literals.MATCHES, of),
                        matching(Literals.TEXT_MATCHES, of),
                        inNet(Literals.IN_NET, of),
                        inNet(Literals.TEXT_IN_NET, of),
                        inNets(Literals.IN_NETS, of),
                        inNets(Literals.TEXT_IN_NETS, of))
                .build();
    }

    @SuppressWarnings("Immutable") // As above.
    private static CelFunctionBinding matching(String overload, Literals of) {
        return CelFunctionBinding.from(overload, String.class, String.class, (text, regexp) -> {
            Pattern pattern = of.pattern(regexp);
            return pattern.matcher(text).find();
        });
    }

    @SuppressWarnings("Immutable") // As above.
    private static CelFunctionBinding inNet(String overload, Literals of) {
        return CelFunctionBinding.from(
                overload,
                String.class,
                String.class,
                (address, net) -> of.net(net).contains(address(address)));
    }

    @SuppressWarnings("Immutable") // As above.
    private static CelFunctionBinding inNets(String overload, Literals of) {
        return CelFunctionBinding.from(overload, String.class, List.class, (address, nets) -> {
            IpAddress parsed = address(address);
            for (Object net : nets) {
                if (of.net(String.valueOf(net)).contains(parsed)) {
                    return true;
                }
            }
            return false;
        });
    }

    private static IpAddress address(String text) {
        IpAddress address = IpAddress.parse(text);
        if (address == null) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: an IP address)");
        }
        return address;
    }
}
