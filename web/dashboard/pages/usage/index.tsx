import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { API_REFERENCE, TALK } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { csvOf } from "../../app/csv.ts";
import { useEvents } from "../../app/events/use-events.ts";
import { saveFile } from "../../app/save-file.ts";
import { serviceNowMs } from "../../app/service-clock.ts";
import { useAgentNames } from "../../app/use-agent-names.ts";
import { useQuery } from "../../app/use-query.ts";
import { type Resource, useResource } from "../../app/use-resource.ts";
import { Button } from "../../ui/button.tsx";
import { BarChart } from "../../ui/chart.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Field } from "../../ui/field.tsx";
import { Count, Money } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { type Grouping, usageColumns } from "./columns.tsx";
import { isUnused, largestFirst, type Measure, measuresOf, sumOf, type UsageGroup, type UsageSum } from "./figures.ts";
import { AccountLimits } from "./limits.tsx";
import { daysOf, msOf, type Period, periodOf, rangeOf } from "./period.ts";
import { PeriodChoice } from "./period-choice.tsx";
import "./usage.css";

/** After these there is more to add up. */
const EVENTS = ["call.ended", "transcription.completed"];

/** What calls and transcriptions used, and what it cost. */
export function Page() {
  const { query } = useQuery();
  const period = periodOf(query, serviceNowMs());
  const byDay = useUsage("day", period);
  // Adding up is dear, and calls end all the time: the person says when.
  const [isStale, setStale] = useState(false);
  useEvents(EVENTS, () => setStale(true));
  const reload = (): void => {
    setStale(false);
    byDay.reload();
  };
  return (
    <Frame title="Usage and cost" actions={isStale && <Button onClick={reload}>Show newer figures</Button>}>
      <PeriodChoice period={period} />
      {byDay.status === "loading" && <Loading what="the usage" />}
      {byDay.status === "failed" && <Failure error={byDay.error} onRetry={byDay.reload} />}
      {byDay.status === "ready" && (
        <>
          <ErrorNote error={byDay.error} />
          <Usage groups={byDay.value} period={period} />
        </>
      )}
      <AccountLimits />
    </Frame>
  );
}

function useUsage(groupBy: Grouping, period: Period): Resource<readonly UsageGroup[]> {
  const query = { groupBy, ...rangeOf(period) };
  return useResource(`usage ${JSON.stringify(query)}`, async (signal) => {
    const { data } = await api.get("/usage", { query, signal });
    return data;
  });
}

function Usage({ groups, period }: { groups: readonly UsageGroup[]; period: Period }) {
  const { query } = useQuery();
  const sum = useMemo(() => sumOf(groups), [groups]);
  if (isUnused(sum)) return <NothingUsed />;
  const measures = measuresOf(sum);
  const [first] = measures;
  const measure = measures.find(({ name }) => name === query.figure) ?? (first as Measure);
  const grouped = { sum, measure, measures, period };
  return (
    <>
      <Totals sum={sum} />
      <Tabs
        label="What the usage is divided by"
        of="by"
        tabs={[
          { name: "day", title: "By day", content: () => <ByDay groups={groups} {...grouped} /> },
          { name: "agent", title: "By agent", content: () => <ByOther grouping="agent" byDay={groups} {...grouped} /> },
          {
            name: "provider",
            title: "By provider",
            content: () => <ByOther grouping="provider" byDay={groups} {...grouped} />,
          },
        ]}
      />
    </>
  );
}

const NothingUsed = () => (
  <Empty title="Nothing was used in these days.">
    <p>
      A call counts on the day on which it ends, once it had a media stream. To make one,{" "}
      <a href={TALK}>talk to an agent in this browser</a>, or create it with the API:{" "}
      <a href={API_REFERENCE}>POST /calls</a>.
    </p>
  </Empty>
);

const Totals = ({ sum }: { sum: UsageSum }) => (
  <Facts>
    <Fact name="Calls">
      <Count of={sum.calls} />
    </Fact>
    <Fact name="Minutes of calls">
      <Count of={sum.minutes} />
    </Fact>
    {sum.transcriptions > 0 && (
      <>
        <Fact name="Transcriptions">
          <Count of={sum.transcriptions} />
        </Fact>
        <Fact name="Minutes transcribed">
          <Count of={sum.transcribedMinutes} />
        </Fact>
      </>
    )}
    <Fact name="Cost">
      {sum.costs.length === 0 ? (
        <span class="soft">no prices</span>
      ) : (
        sum.costs.map(({ currency, total }) => (
          <div key={currency}>
            <Money amount={total} currency={currency} />
          </div>
        ))
      )}
      {sum.costs.length > 0 && !sum.costComplete && <span class="soft">and what has no price</span>}
    </Fact>
  </Facts>
);

interface GroupedProps {
  sum: UsageSum;
  measure: Measure;
  measures: readonly Measure[];
  period: Period;
}

function ByDay({ groups, sum, measure, measures, period }: GroupedProps & { groups: readonly UsageGroup[] }) {
  const bars = useMemo(() => {
    const byDay = new Map(groups.map((group) => [group.day, group]));
    return daysOf(period).map((day) => {
      const group = byDay.get(day);
      return { atMs: msOf(day), value: group === undefined ? 0 : measure.of(group) };
    });
  }, [groups, measure.name, period.firstDay, period.lastDay]);
  const newestFirst = useMemo(() => groups.toReversed(), [groups]);
  return (
    <div class="usage-part">
      <FigureChoice measures={measures} measure={measure} />
      <BarChart label={`${measure.title} by day. The table has the same figures.`} bars={bars} text={measure.text} />
      <GroupTable grouping="day" groups={newestFirst} sum={sum} share={undefined} />
      <p class="soft">Days on which nothing was used are not listed. A day is one of UTC.</p>
    </div>
  );
}

interface ByOtherProps extends GroupedProps {
  grouping: "agent" | "provider";
  /** The usage by day, after whose reload this is loaded again. */
  byDay: readonly UsageGroup[];
}

function ByOther({ grouping, byDay, sum, measure, measures, period }: ByOtherProps) {
  const usage = useUsage(grouping, period);
  const loadedWith = useRef(byDay);
  useEffect(() => {
    if (loadedWith.current !== byDay) usage.reload();
    loadedWith.current = byDay;
  }, [byDay]);
  if (usage.status === "loading") return <Loading what="the usage" />;
  if (usage.status === "failed") return <Failure error={usage.error} onRetry={usage.reload} />;
  const groups = largestFirst(usage.value, measure);
  const [largest] = groups;
  return (
    <div class="usage-part">
      <ErrorNote error={usage.error} />
      <FigureChoice measures={measures} measure={measure} />
      <GroupTable
        grouping={grouping}
        groups={groups}
        sum={sum}
        share={{ measure, max: largest === undefined ? 0 : measure.of(largest) }}
      />
      {grouping === "provider" && (
        <p class="soft">
          A call counts for each provider that it used, so that calls and minutes add up to more than there were.
        </p>
      )}
    </div>
  );
}

interface TableProps {
  grouping: Grouping;
  groups: readonly UsageGroup[];
  sum: UsageSum;
  share: { measure: Measure; max: number } | undefined;
}

function GroupTable({ grouping, groups, sum, share }: TableProps) {
  const agents = useAgentNames();
  const columns = usageColumns({ grouping, sum, share, agents });
  const exported = columns.filter(({ name }) => name !== "share");
  const save = (): void =>
    saveFile(
      `usage-by-${grouping}.csv`,
      "text/csv",
      csvOf([
        exported.map(({ name }) => name),
        ...groups.map((group) => exported.map((column) => column.exported(group))),
      ]),
    );
  return (
    <>
      <Table
        label={`Usage by ${grouping}`}
        columns={columns}
        rows={groups}
        keyOf={({ day, agentId, provider }) => day ?? provider ?? agentId ?? ""}
      />
      <div>
        <Button onClick={save}>Save as CSV</Button>
      </div>
    </>
  );
}

/** Which figure the chart shows, or the bars. */
function FigureChoice({ measures, measure }: { measures: readonly Measure[]; measure: Measure }) {
  const { change } = useQuery();
  return (
    <div class="usage-figure">
      <Field label="Figure">
        {(control) => (
          <select
            {...control}
            value={measure.name}
            onChange={({ currentTarget }) => change({ figure: currentTarget.value })}
          >
            {measures.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
