import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Any database that has a JDBC driver, as an engine for qualm. It needs a JDK of version 11 or newer and no build:
 *
 *     qualm hunt 'exec:java adapters/Jdbc.java --jar h2.jar --dialect adapters/dialects/h2.toml jdbc:h2:mem:{unique}'
 *
 * In the URL {unique} stands for a new name and {folder} for a new folder for each database. The protocol is in
 * docs/adapter.md; `qualm adapter check COMMAND` tests an adapter.
 */
public class Jdbc {
    static final String HELP = String.join("\n",
        "usage: java Jdbc.java [options] URL",
        "  --jar FILE        the driver's jar; more than once if there are several",
        "  --driver CLASS    the driver's class, where its jar does not name it",
        "  --dialect NAME    a built-in dialect or a dialect file (docs/dialects.md); without it qualm probes the engine",
        "  --user U --password P",
        "  --name NAME       the engine's name [default: what its driver says]",
        "  --init SQL        run this in each new database",
        "  --reset SQL       run these statements to empty the database instead of connecting again",
        "  --explain WORDS   what to put before a query for its plan, e.g. 'EXPLAIN'",
        "  --plans-only      EXPLAIN of a change does not run it",
        "  --knobs FILE      settings that must not change results, as in knobs/");

    final Map<String, String> options = new HashMap<>();
    final List<String> jars = new ArrayList<>(), init = new ArrayList<>(), reset = new ArrayList<>();
    final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "watch");
        thread.setDaemon(true);
        return thread;
    });
    Driver driver;
    String url;
    Connection connection;
    Path folder;
    int databases;

    public static void main(String[] arguments) throws Exception {
        // Drivers that print must not write between the replies.
        OutputStream replies = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        // Derby would write a log into the folder where qualm is run.
        if (System.getProperty("derby.stream.error.file") == null) System.setProperty("derby.stream.error.file", "/dev/null");
        Jdbc adapter = new Jdbc();
        String wrong;
        try {
            wrong = adapter.read(arguments);
        } catch (LinkageError | ReflectiveOperationException e) {
            wrong = "cannot load the driver with Java " + System.getProperty("java.version") + ": " + e;
        }
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        for (String line; (line = requests.readLine()) != null;) {
            Map<?, ?> request = (Map<?, ?>) new Json(line).value();
            if ("close".equals(request.get("do"))) {
                break;
            }
            Object texts = request.get("texts");
            if (wrong != null) {
                say(replies, error(wrong, null));
            } else if (texts == null) {
                say(replies, adapter.reply(request, (String) request.get("text")));
            } else {
                for (Object text : (List<?>) texts) {
                    say(replies, adapter.reply(request, (String) text));
                }
            }
        }
        adapter.close();
        System.exit(0);
    }

    /** Each reply by itself and at once: what was answered before the engine ends this process has been said. */
    static void say(OutputStream replies, String reply) throws Exception {
        replies.write((reply + "\n").getBytes(StandardCharsets.UTF_8));
        replies.flush();
    }

    /** What is wrong with the arguments, or null. */
    String read(String[] arguments) throws Exception {
        for (int i = 0; i < arguments.length; i++) {
            String word = arguments[i];
            if (word.equals("--plans-only")) {
                options.put(word, "true");
            } else if (word.startsWith("--") && i + 1 < arguments.length) {
                String value = arguments[++i];
                switch (word) {
                    case "--jar": jars.add(value); break;
                    case "--init": init.add(value); break;
                    case "--reset": reset.add(value); break;
                    case "--driver": case "--dialect": case "--user": case "--password": case "--name":
                    case "--explain": case "--knobs": options.put(word, value); break;
                    default: return "unknown option " + word + "\n" + HELP;
                }
            } else if (url == null && !word.startsWith("--")) {
                url = word;
            } else {
                return "unexpected argument " + word + "\n" + HELP;
            }
        }
        return url == null ? HELP : load();
    }

    String load() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String jar : jars) {
            if (!new File(jar).isFile()) {
                return "there is no file '" + jar + "'";
            }
            urls.add(new File(jar).toURI().toURL());
        }
        ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), Jdbc.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        if (options.containsKey("--driver")) {
            driver = (Driver) loader.loadClass(options.get("--driver")).getDeclaredConstructor().newInstance();
            return null;
        }
        for (Driver found : ServiceLoader.load(Driver.class, loader)) {
            if (found.acceptsURL(url)) {
                driver = found;
                return null;
            }
        }
        return "no driver in " + jars + " accepts the URL '" + url + "'; name its class with --driver";
    }

    // ---------------------------------------------------------------- requests

    String reply(Map<?, ?> request, String text) {
        boolean[] struck = {false};
        try {
            switch ((String) request.get("do")) {
                case "hello": return hello();
                case "open": open(); return "{\"done\":true}";
                case "plan": return plan(text, limit(request), struck);
                case "run": return run(text, limit(request), struck);
                default: return error("unknown request", null);
            }
        } catch (OutOfMemoryError e) {
            return error(e.toString(), "out_of_memory");
        } catch (StackOverflowError e) {
            return error(e.toString(), "limit");
        } catch (SQLTimeoutException e) {
            return error(String.valueOf(e.getMessage()), "limit");
        } catch (SQLException e) {
            return error(message(e), struck[0] ? "limit" : null);
        } catch (Throwable e) {
            // What is no SQLException is not meant for people.
            return error(message(e), struck[0] ? "limit" : "internal");
        }
    }

    static long limit(Map<?, ?> request) {
        return ((Number) request.get("limit_ms")).longValue();
    }

    static String message(Throwable e) {
        StringBuilder text = new StringBuilder(e instanceof SQLException ? "" : e.getClass().getName() + ": ");
        text.append(e.getMessage());
        if (e instanceof SQLException && ((SQLException) e).getSQLState() != null) {
            text.append(" [").append(((SQLException) e).getSQLState()).append(']');
        }
        // Drivers wrap what happened inside of the engine.
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            boolean said = String.valueOf(cause.getMessage()).equals(e.getMessage());
            if (!said && (cause instanceof RuntimeException || cause instanceof Error)) {
                text.append("; caused by ").append(cause);
            }
        }
        return text.toString();
    }

    String hello() throws Exception {
        if (connection == null) {
            open();
        }
        DatabaseMetaData about = connection.getMetaData();
        StringBuilder said = new StringBuilder("{\"protocol\":1,\"language\":\"sql\",\"batch\":true,\"name\":");
        String name = options.getOrDefault("--name", about.getDatabaseProductName().toLowerCase().replace(' ', '-'));
        text(said, name);
        said.append(",\"version\":");
        text(said, about.getDatabaseProductVersion().split(" ")[0]);
        said.append(",\"build\":");
        text(said, about.getDatabaseProductVersion());
        said.append(",\"plans_only\":").append(options.containsKey("--plans-only"));
        if (options.containsKey("--dialect")) {
            said.append(",\"dialect\":");
            text(said, options.get("--dialect"));
        }
        if (options.containsKey("--knobs")) {
            said.append(",\"knobs\":");
            text(said, new String(Files.readAllBytes(Path.of(options.get("--knobs"))), StandardCharsets.UTF_8));
        }
        return said.append('}').toString();
    }

    void open() throws Exception {
        if (connection != null && !reset.isEmpty()) {
            for (String statement : reset) {
                execute(statement);
            }
        } else {
            close();
            connect();
        }
        for (String statement : init) {
            execute(statement);
        }
    }

    void connect() throws Exception {
        String filled = url.replace("{unique}", "qualm" + ProcessHandle.current().pid() + "x" + ++databases);
        if (filled.contains("{folder}")) {
            folder = Files.createTempDirectory("qualm-jdbc-");
            filled = filled.replace("{folder}", folder.toString());
        }
        Properties properties = new Properties();
        if (options.containsKey("--user")) {
            properties.put("user", options.get("--user"));
        }
        if (options.containsKey("--password")) {
            properties.put("password", options.get("--password"));
        }
        connection = driver.connect(filled, properties);
        if (connection == null) {
            throw new SQLException("the driver does not accept the URL '" + filled + "'");
        }
        connection.setAutoCommit(true);
    }

    void close() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // What is thrown away need not end well.
        }
        connection = null;
        if (folder != null) {
            remove(folder.toFile());
            folder = null;
        }
    }

    static void remove(File file) {
        File[] inside = file.listFiles();
        if (inside != null) {
            for (File each : inside) {
                remove(each);
            }
        }
        file.delete();
    }

    void execute(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    String run(String text, long limit, boolean[] struck) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ScheduledFuture<?> strike = strike(statement, limit, struck);
            try {
                if (!statement.execute(text)) {
                    return "{\"done\":true}";
                }
                try (ResultSet rows = statement.getResultSet()) {
                    return answer(rows);
                }
            } finally {
                strike.cancel(false);
            }
        }
    }

    ScheduledFuture<?> strike(Statement statement, long limit, boolean[] struck) {
        return watch.schedule(() -> {
            struck[0] = true;
            try {
                statement.cancel();
            } catch (SQLException e) {
                // It has ended in the meantime, or the driver cannot: then qualm kills this process.
            }
        }, limit, TimeUnit.MILLISECONDS);
    }

    static String answer(ResultSet rows) throws SQLException {
        ResultSetMetaData about = rows.getMetaData();
        int columns = about.getColumnCount();
        StringBuilder said = new StringBuilder("{\"columns\":").append(columns).append(",\"rows\":[");
        String before = "[";
        while (rows.next()) {
            said.append(before);
            for (int i = 1; i <= columns; i++) {
                if (i > 1) {
                    said.append(',');
                }
                value(said, rows.getObject(i));
            }
            before = "],[";
        }
        return said.append(before.equals("[") ? "]}" : "]]}").toString();
    }

    /** Operators of a plan in text, one per line: the depth is the indentation, names and numbers are left out. */
    String plan(String text, long limit, boolean[] struck) throws SQLException {
        if (!options.containsKey("--explain")) {
            return "{}";
        }
        StringBuilder said = new StringBuilder("{\"plan\":[");
        try (Statement statement = connection.createStatement()) {
            ScheduledFuture<?> strike = strike(statement, limit, struck);
            int nodes = 0;
            try (ResultSet rows = statement.executeQuery(options.get("--explain") + " " + text)) {
                while (rows.next()) {
                    for (String line : String.valueOf(rows.getString(1)).split("\n")) {
                        String words = line.replaceAll("^[^A-Za-z]+", "").replaceAll("[^A-Za-z_ ].*$", "").trim();
                        if (!words.isEmpty() && nodes++ < 200) {
                            said.append(nodes > 1 ? "," : "").append("{\"depth\":");
                            said.append(line.length() - line.replaceAll("^\\s+", "").length()).append(",\"operator\":");
                            text(said, words);
                            said.append('}');
                        }
                    }
                }
            } finally {
                strike.cancel(false);
            }
        }
        return said.append("]}").toString();
    }

    // ---------------------------------------------------------------- values

    static void value(StringBuilder said, Object value) throws SQLException {
        if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer
            || value instanceof Short || value instanceof Byte) {
            said.append(value);
        } else if (value instanceof Float) {
            real(said, Double.parseDouble(value.toString()));
        } else if (value instanceof Double) {
            real(said, (Double) value);
        } else if (value instanceof BigDecimal) {
            marked(said, "decimal", ((BigDecimal) value).toPlainString());
        } else if (value instanceof BigInteger) {
            marked(said, "decimal", value.toString());
        } else if (value instanceof String) {
            text(said, (String) value);
        } else if (value instanceof byte[]) {
            bytes(said, (byte[]) value);
        } else if (value instanceof Blob) {
            bytes(said, ((Blob) value).getBytes(1, (int) ((Blob) value).length()));
        } else if (value instanceof Clob) {
            text(said, ((Clob) value).getSubString(1, (int) ((Clob) value).length()));
        } else if (value instanceof java.sql.Date || value instanceof java.time.LocalDate) {
            marked(said, "date", value.toString());
        } else if (value instanceof java.sql.Time || value instanceof java.time.LocalTime) {
            marked(said, "time", value.toString());
        } else if (value instanceof java.sql.Timestamp || value instanceof java.time.temporal.Temporal) {
            marked(said, "timestamp", value.toString());
        } else if (value instanceof java.util.UUID) {
            marked(said, "uuid", value.toString());
        } else if (value instanceof java.sql.Array) {
            value(said, ((java.sql.Array) value).getArray());
        } else if (value instanceof Object[]) {
            String before = "[";
            for (Object member : (Object[]) value) {
                said.append(before);
                value(said, member);
                before = ",";
            }
            said.append(before.equals("[") ? "[]" : "]");
        } else {
            marked(said, "other", value.toString());
        }
    }

    static void real(StringBuilder said, double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            marked(said, "real", Double.isNaN(value) ? "NaN" : value > 0 ? "Inf" : "-Inf");
        } else {
            // Plain numbers are read exactly up to 15 digits.
            String digits = String.valueOf(value);
            if (digits.length() < 16) {
                said.append(digits);
            } else {
                marked(said, "real", digits);
            }
        }
    }

    static void bytes(StringBuilder said, byte[] value) {
        StringBuilder digits = new StringBuilder();
        for (byte b : value) {
            digits.append(String.format("%02X", b));
        }
        marked(said, "blob", digits.toString());
    }

    static void marked(StringBuilder said, String mark, String value) {
        said.append("{\"").append(mark).append("\":");
        text(said, value);
        said.append('}');
    }

    static void text(StringBuilder said, String value) {
        said.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                said.append('\\').append(c);
            } else if (c < 0x20) {
                said.append(String.format("\\u%04x", (int) c));
            } else {
                said.append(c);
            }
        }
        said.append('"');
    }

    static String error(String message, String kind) {
        StringBuilder said = new StringBuilder("{\"error\":");
        text(said, message);
        if (kind != null) {
            said.append(",\"class\":");
            text(said, kind);
        }
        return said.append('}').toString();
    }

    // ---------------------------------------------------------------- JSON

    /** Requests are flat objects of texts, numbers and lists; this reads those. */
    static final class Json {
        final String from;
        int at;

        Json(String from) {
            this.from = from;
        }

        char next() {
            while (Character.isWhitespace(from.charAt(at))) {
                at++;
            }
            return from.charAt(at);
        }

        boolean skip(char c) {
            boolean there = next() == c;
            at += there ? 1 : 0;
            return there;
        }

        Object value() {
            switch (next()) {
                case '{': return map();
                case '[': return list();
                case '"': return string();
                default: return word();
            }
        }

        Map<String, Object> map() {
            Map<String, Object> map = new LinkedHashMap<>();
            at++;
            while (!skip('}')) {
                skip(',');
                next();
                String key = string();
                skip(':');
                map.put(key, value());
            }
            return map;
        }

        List<Object> list() {
            List<Object> list = new ArrayList<>();
            at++;
            while (!skip(']')) {
                skip(',');
                list.add(value());
            }
            return list;
        }

        String string() {
            StringBuilder text = new StringBuilder();
            for (at++; from.charAt(at) != '"'; at++) {
                char c = from.charAt(at);
                if (c != '\\') {
                    text.append(c);
                    continue;
                }
                c = from.charAt(++at);
                if (c == 'u') {
                    text.append((char) Integer.parseInt(from.substring(at + 1, at + 5), 16));
                    at += 4;
                } else {
                    int escape = "nrtbf".indexOf(c);
                    text.append(escape < 0 ? c : "\n\r\t\b\f".charAt(escape));
                }
            }
            at++;
            return text.toString();
        }

        Object word() {
            int begin = at;
            while (at < from.length() && ",]} \t".indexOf(from.charAt(at)) < 0) {
                at++;
            }
            String word = from.substring(begin, at);
            switch (word) {
                case "true": return true;
                case "false": return false;
                case "null": return null;
                default: return Double.valueOf(word);
            }
        }
    }
}
