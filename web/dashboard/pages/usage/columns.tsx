import type { ExportedColumn } from "../../ui/export.tsx";
import { Count, Foreign, Money } from "../../ui/figures.tsx";
import type { Column } from "../../ui/table.tsx";
import { costIn, type Measure, measuresOf, type UsageGroup, type UsageSum } from "./figures.ts";

/** What the groups are divided by. */
export type Grouping = "day" | "agent" | "provider";

export type UsageColumn = Column<UsageGroup> & ExportedColumn<UsageGroup>;

/** What a group is of, in a table and in a file. */
const KEYS: Readonly<Record<Grouping, { title: string; of: (group: UsageGroup) => string | null | undefined }>> = {
  day: { title: "Day, UTC", of: ({ day }) => day },
  agent: { title: "Agent", of: ({ agentId }) => agentId },
  provider: { title: "Provider", of: ({ provider }) => provider },
};

export interface ColumnOptions {
  grouping: Grouping;
  /** Of all groups: it says which figures there are. */
  sum: UsageSum;
  /** The figure of which each group's share is shown, and the largest of one group; undefined for none. */
  share: { measure: Measure; max: number } | undefined;
  agents: ReadonlyMap<string, string>;
}

/** The columns of a table of groups. */
export function usageColumns({ grouping, sum, share, agents }: ColumnOptions): readonly UsageColumn[] {
  const { title, of } = KEYS[grouping];
  const first: UsageColumn = {
    name: grouping === "agent" ? "agentId" : grouping,
    title,
    cell: (group) =>
      grouping === "agent" ? <Agent id={group.agentId ?? null} agents={agents} /> : <Foreign text={of(group)} />,
    exported: of,
  };
  const figures = measuresOf(sum)
    .filter(({ name }) => !name.startsWith("cost-"))
    .map(
      ({ name, title: heading, of: figureOf }): UsageColumn => ({
        ...{ name, title: heading, isFigure: true, exported: figureOf },
        cell: (group) => <Count of={figureOf(group)} />,
      }),
    );
  const costs = sum.costs.map(
    ({ currency }): UsageColumn => ({
      ...{ name: `cost_${currency}`, title: "Cost", isFigure: true, exported: (group) => costIn(group, currency) },
      cell: (group) => <Cost group={group} currency={currency} />,
    }),
  );
  const shares = share === undefined ? [] : [shareColumn(share.measure, share.max)];
  return [first, ...shares, ...figures, ...costs];
}

const shareColumn = ({ title, of }: Measure, max: number): UsageColumn => ({
  name: "share",
  title,
  isTitleHidden: true,
  cell: (group) => (
    <div class="usage-share" aria-hidden="true">
      <div style={{ width: `${max === 0 ? 0 : (100 * of(group)) / max}%` }} />
    </div>
  ),
  exported: () => undefined,
});

const Agent = ({ id, agents }: { id: string | null; agents: ReadonlyMap<string, string> }) =>
  id === null ? <span class="soft">without a saved agent</span> : <Foreign text={agents.get(id) ?? id} />;

const Cost = ({ group, currency }: { group: UsageGroup; currency: string }) => (
  <>
    {!group.costComplete && (
      <span class="soft" title="Some of what was used has no price.">
        at least{" "}
      </span>
    )}
    <Money amount={costIn(group, currency)} currency={currency} />
  </>
);
