// Prints what the reference client writes for each message and version, one line each:
//
//   api <key> <name> <min> <max> <advertised min> <flexible min or 32767>
//   header <key> <version> <request header version> <response header version>
//   message <name> <version> <variant> <hex>
//
// Messages are filled by reflection from the schemas that the classes carry, with values from a counter, so that the
// output never changes. Variants: `full` has every field of the version set and two elements in each array, `null`
// says null wherever the version allows it, `default` is an object that nobody touched.
//
// Usage: java GoldenWriter KEYS, where KEYS are the API keys to print, separated by commas.

import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashMultiCollection;

public final class GoldenWriter {
    private final PrintStream out;
    private long counter;
    private boolean nulls;

    private GoldenWriter(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        GoldenWriter writer = new GoldenWriter(out);
        for (String key : args[0].split(",")) {
            writer.api(ApiKeys.forId(Integer.parseInt(key)));
        }
        writer.versions(RequestHeaderData.class, (short) 1, (short) 2);
        writer.versions(ResponseHeaderData.class, (short) 0, (short) 1);
        writer.versions(ConsumerProtocolSubscription.class, (short) 0, (short) 3);
        writer.versions(ConsumerProtocolAssignment.class, (short) 0, (short) 3);
        out.flush();
        if (out.checkError()) throw new IllegalStateException("output failed");
    }

    private void api(ApiKeys key) throws Exception {
        short min = key.oldestVersion();
        short max = key.latestVersion(false);
        ApiVersion row = key.toApiVersionForApiResponse(false, ApiMessageType.ListenerType.BROKER).orElseThrow();
        int flexible = 32767;
        for (short v = max; v >= min && key.requestHeaderVersion(v) >= 2; v--) flexible = v;
        out.printf("api %d %s %d %d %d %d%n", key.id, key.name, min, max, row.minVersion(), flexible);
        for (short v = min; v <= max; v++) {
            out.printf("header %d %d %d %d%n", key.id, v, key.requestHeaderVersion(v), key.responseHeaderVersion(v));
        }
        versions(key.messageType.newRequest().getClass(), min, max);
        versions(key.messageType.newResponse().getClass(), min, max);
    }

    private void versions(Class<?> type, short min, short max) throws Exception {
        for (short v = min; v <= max; v++) {
            print(type, v, "default", (Message) type.getDeclaredConstructor().newInstance());
            nulls = false;
            print(type, v, "full", filled(type, v));
            nulls = true;
            print(type, v, "null", filled(type, v));
        }
    }

    private void print(Class<?> type, short version, String variant, Message message) {
        String name = type.getSimpleName().replaceAll("Data$", "");
        ByteBuffer bytes;
        try {
            bytes = MessageUtil.toByteBufferAccessor(message, version).buffer();
        } catch (NullPointerException | UnsupportedOperationException e) {
            // A message whose untouched object cannot be written: null where the version has no null.
            if (!variant.equals("default")) throw e;
            return;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.printf("message %s %d %s %s%n", name, version, variant, HexFormat.of().formatHex(copy));
    }

    private Message filled(Class<?> type, short version) throws Exception {
        counter = 0;
        return (Message) fill(type, version);
    }

    private Object fill(Class<?> type, short version) throws Exception {
        Object object = type.getDeclaredConstructor().newInstance();
        Map<String, Method> setters = setters(type);
        for (Map.Entry<String, org.apache.kafka.common.protocol.types.Type> entry : fieldsOf(type, version).entrySet()) {
            Method setter = setters.get(entry.getKey());
            if (setter == null) throw new IllegalStateException(type + " has no setter for " + entry.getKey());
            Object value = nulls && entry.getValue().isNullable()
                ? null
                : value(setter.getParameterTypes()[0], setter.getGenericParameterTypes()[0], entry.getValue(), version);
            try {
                setter.invoke(object, value);
            } catch (InvocationTargetException e) {
                throw new IllegalStateException(setter + " refuses " + value, e);
            }
        }
        return object;
    }

    /** The fields of a version, tagged ones included, by the name that the schema gives them. */
    private static Map<String, org.apache.kafka.common.protocol.types.Type> fieldsOf(Class<?> type, short version)
        throws Exception {
        Map<String, org.apache.kafka.common.protocol.types.Type> fields = new TreeMap<>();
        Schema schema = (Schema) type.getField("SCHEMA_" + version).get(null);
        for (BoundField field : schema.fields()) {
            if (field.def.type instanceof TaggedFields tagged) {
                tagged.fields().values().forEach(f -> fields.put(f.name, f.type));
            } else {
                fields.put(field.def.name, field.def.type);
            }
        }
        return fields;
    }

    /** Setters by the snake_case name of what they set. */
    private static Map<String, Method> setters(Class<?> type) {
        Map<String, Method> setters = new TreeMap<>();
        for (Method method : type.getMethods()) {
            if (method.getParameterCount() != 1 || Modifier.isStatic(method.getModifiers())) continue;
            if (!method.getName().startsWith("set") || method.getReturnType() != type) continue;
            setters.put(snake(method.getName().substring(3)), method);
        }
        return setters;
    }

    private static String snake(String camel) {
        StringBuilder text = new StringBuilder();
        boolean before = false;
        for (char c : camel.toCharArray()) {
            if (Character.isUpperCase(c) && before) text.append('_');
            before = !Character.isUpperCase(c);
            text.append(Character.toLowerCase(c));
        }
        return text.toString();
    }

    private Object value(Class<?> kind, Type generic, org.apache.kafka.common.protocol.types.Type schema, short version)
        throws Exception {
        long n = ++counter;
        if (kind == boolean.class) return n % 2 == 1;
        if (kind == byte.class || kind == Byte.class) return (byte) (n * 7);
        if (kind == short.class || kind == Short.class) return (short) (n * 777);
        if (kind == long.class || kind == Long.class) return n * 0x123456789abcdL * (n % 2 == 0 ? 1 : -1);
        if (kind == int.class || kind == Integer.class) {
            // A Java int also stands for the unsigned 16-bit type.
            return schema.toString().equals("UINT16") ? (int) (65535 - n) : (int) (n * 0x1234567);
        }
        if (kind == double.class) return n * 1.5;
        if (kind == String.class) return n % 5 == 0 ? "" : "wert-ä-" + n;
        if (kind == Uuid.class) return new Uuid(n * 0x0102030405060708L, -n);
        if (kind == byte[].class) return bytes(n);
        if (kind == ByteBuffer.class) return ByteBuffer.wrap(bytes(n));
        if (BaseRecords.class.isAssignableFrom(kind)) return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes(n + 140)));
        if (Collection.class.isAssignableFrom(kind)) return collection(kind, generic, version);
        return fill(kind, version);
    }

    private static byte[] bytes(long size) {
        byte[] bytes = new byte[(int) (size % 300)];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 3 + size);
        return bytes;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Object collection(Class<?> kind, Type generic, short version) throws Exception {
        if (!ImplicitLinkedHashMultiCollection.class.isAssignableFrom(kind)) {
            Type element = ((ParameterizedType) generic).getActualTypeArguments()[0];
            List<Object> list = new ArrayList<>();
            for (int i = 0; i < 2; i++) list.add(value((Class<?>) element, element, NO_SCHEMA, version));
            return list;
        }
        Type element = ((ParameterizedType) kind.getGenericSuperclass()).getActualTypeArguments()[0];
        ImplicitLinkedHashMultiCollection set =
            (ImplicitLinkedHashMultiCollection) kind.getDeclaredConstructor().newInstance();
        for (int i = 0; i < 2; i++) {
            set.mustAdd((ImplicitLinkedHashMultiCollection.Element) value((Class<?>) element, element, NO_SCHEMA, version));
        }
        return set;
    }

    private static final org.apache.kafka.common.protocol.types.Type NO_SCHEMA =
        org.apache.kafka.common.protocol.types.Type.INT32;
}
