import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.EventBean;
import com.espertech.esper.common.client.EventSender;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPDeployment;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rules of examples/fraud/rules as statements of Esper: {@code EsperRules FILE ALERTS}.
 *
 * <p>All events are objects in memory before the clock starts, and one thread sends them. The windows are exact: they end with the
 * event by its own time, and do not slide in steps. What an alert silences is a table beside Esper, since its {@code output first}
 * goes by the time of the machine, or by a timer for each key.
 */
public final class EsperRules {
    /** An event of a switch. Numbers have digits only, so they are integers here. */
    public static final class Event {
        private final int kind;
        private final long time;
        private final long caller;
        private final long called;

        Event(ByteBuffer packed) {
            kind = packed.getInt();
            time = 1_000L * Integer.toUnsignedLong(packed.getInt());
            caller = packed.getLong();
            called = packed.getLong();
        }

        public int getKind() {
            return kind;
        }

        /** Returns the milliseconds since 1970. */
        public long getTime() {
            return time;
        }

        public long getCaller() {
            return caller;
        }

        public long getCalled() {
            return called;
        }
    }

    /** A rule: its name, its statement, whether it is about pairs, and for how long there is no other alert about a key. */
    private record Rule(String name, String statement, boolean isAboutPairs, long againMilliseconds) {}

    /** What an alert is about: the called number is 0 if it is about a caller. */
    private record Key(long caller, long called) {}

    // A row is put out for each event that comes, and none for those that leave: the time is not in the groups.
    private static final List<Rule> RULES = List.of(
            new Rule(
                    "two-in-a-minute",
                    "select caller, time from Event(kind = 6)#ext_timed(time, 1 minute)"
                            + " group by caller having count(*) >= 2",
                    false,
                    600_000),
            new Rule(
                    "same-number-twice",
                    "select caller, called, time from Event(kind = 6)#ext_timed(time, 1 minute)"
                            + " group by caller, called having count(*) >= 2",
                    true,
                    600_000),
            new Rule(
                    "thousand-an-hour",
                    "select caller, time from Event(kind = 6)#ext_timed(time, 1 hour)"
                            + " group by caller having count(*) >= 1000",
                    false,
                    3_600_000));

    /** The runs before the one that counts. The code of the first one is not compiled yet. */
    private static final int WARM_UPS = 2;

    private final EPRuntime runtime;
    private final List<String> alerts = new ArrayList<>();

    private EsperRules(String name) throws Exception {
        Configuration configuration = new Configuration();
        configuration.getCommon().addEventType(Event.class);
        configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
        runtime = EPRuntimeProvider.getRuntime(name, configuration);
        for (Rule rule : RULES) {
            EPCompiled compiled = EPCompilerProvider.getCompiler()
                    .compile("@name('rule') " + rule.statement, new CompilerArguments(configuration));
            EPDeployment deployment = runtime.getDeploymentService().deploy(compiled);
            listen(rule, runtime.getDeploymentService().getStatement(deployment.getDeploymentId(), "rule"));
        }
    }

    private void listen(Rule rule, EPStatement statement) {
        Map<Key, Long> quietUntil = new HashMap<>();
        statement.addListener((fired, left, of, by) -> {
            for (EventBean event : fired) {
                long time = (Long) event.get("time");
                Key key = new Key((Long) event.get("caller"), rule.isAboutPairs ? (Long) event.get("called") : 0);
                if (time < quietUntil.getOrDefault(key, 0L)) {
                    continue;
                }
                quietUntil.put(key, time + rule.againMilliseconds);
                alerts.add(shown(rule, key, time / 1_000));
            }
        });
    }

    private static String shown(Rule rule, Key key, long at) {
        String called = rule.isAboutPairs ? String.format(">%010d", key.called) : "";
        return String.format("%s %010d%s %d", rule.name, key.caller, called, at);
    }

    private void take(Event[] events) {
        EventSender sender = runtime.getEventService().getEventSender("Event");
        for (Event event : events) {
            sender.sendEvent(event);
        }
    }

    private static Event[] read(Path file) throws IOException {
        ByteBuffer packed = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        Event[] events = new Event[packed.remaining() / 24];
        for (int place = 0; place < events.length; place++) {
            events[place] = new Event(packed);
        }
        return events;
    }

    public static void main(String[] arguments) throws Exception {
        Event[] events = read(Path.of(arguments[0]));
        for (int round = 0; round < WARM_UPS; round++) {
            EsperRules rules = new EsperRules("warm-up-" + round);
            rules.take(events);
            rules.runtime.destroy();
        }
        System.gc();
        EsperRules rules = new EsperRules("measured");
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long processor = system.getProcessCpuTime();
        long begin = System.nanoTime();
        rules.take(events);
        double seconds = (System.nanoTime() - begin) / 1e9;
        double processorSeconds = (system.getProcessCpuTime() - processor) / 1e9;
        Files.write(Path.of(arguments[1]), rules.alerts);
        System.out.printf(
                Locale.ROOT,
                "{\"events\":%d,\"seconds\":%f,\"processor_seconds\":%f}%n",
                events.length,
                seconds,
                processorSeconds);
    }
}
