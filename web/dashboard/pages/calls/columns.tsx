import type { Schema } from "../../../client/src/index.ts";
import { callPage } from "../../app/addresses.ts";
import { endText, stateOf } from "../../app/call-states.ts";
import { words } from "../../app/format.ts";
import { AgentLink } from "../../ui/agent-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Code, Count, Delay, Duration, Foreign, Money, Time } from "../../ui/figures.tsx";
import type { Column } from "../../ui/table.tsx";

export type Call = Schema<"CallSummary">;

/** A column of the table, and what an export has of it. */
export interface CallColumn extends Column<Call> {
  /** Shown until the person chooses. */
  isDefault?: boolean;
  exported: (call: Call) => string | number | null | undefined;
}

/** Columns that few need. */
const MORE_COLUMNS: readonly CallColumn[] = [
  {
    name: "connectionType",
    title: "Connection",
    width: 104,
    cell: ({ connectionType }) => words(connectionType),
    exported: ({ connectionType }) => connectionType,
  },
  {
    name: "language",
    title: "Language",
    width: 88,
    cell: ({ configuration }) => configuration.language,
    exported: ({ configuration }) => configuration.language,
  },
  {
    name: "voice",
    title: "Voice",
    cell: ({ configuration }) => <Foreign text={configuration.voice} />,
    exported: ({ configuration }) => configuration.voice,
  },
  {
    name: "recording",
    title: "Recording",
    width: 96,
    isFigure: true,
    cell: ({ recording }) => <Duration ms={recording?.durationMs} />,
    exported: ({ recording }) => recording?.durationMs,
  },
  {
    name: "loss",
    title: "Packets lost",
    width: 96,
    isFigure: true,
    cell: ({ network }) => (network?.lossInPercent == null ? <Count of={null} /> : `${network.lossInPercent} %`),
    exported: ({ network }) => network?.lossInPercent,
  },
  {
    name: "metadata",
    title: "Metadata",
    width: 240,
    cell: ({ metadata }) => <Foreign text={metadata === null ? null : JSON.stringify(metadata)} />,
    exported: ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata)),
  },
  {
    name: "carrierCallId",
    title: "Id at the carrier",
    width: 280,
    cell: ({ carrierCallId }) => <Foreign text={carrierCallId} />,
    exported: ({ carrierCallId }) => carrierCallId,
  },
  {
    name: "id",
    title: "Id",
    width: 320,
    cell: ({ id }) => <Code>{id}</Code>,
    exported: ({ id }) => id,
  },
];

/** Who called, and when. */
const FIRST_COLUMNS: readonly CallColumn[] = [
  {
    name: "createdAt",
    title: "Created",
    width: 176,
    isDefault: true,
    cell: ({ id, createdAt }) => (
      <a href={callPage(id)}>
        <Time at={createdAt} />
      </a>
    ),
    exported: ({ createdAt }) => createdAt,
  },
  {
    name: "status",
    title: "State",
    width: 168,
    isDefault: true,
    cell: (call) => <Badge tone={stateOf(call).tone}>{stateOf(call).text}</Badge>,
    exported: ({ status }) => status,
  },
  {
    name: "direction",
    title: "Direction",
    width: 88,
    cell: ({ phone }) => <Foreign text={phone?.direction} />,
    exported: ({ phone }) => phone?.direction,
  },
  {
    name: "from",
    title: "From",
    isDefault: true,
    cell: ({ phone }) => <Foreign text={phone?.from} />,
    exported: ({ phone }) => phone?.from,
  },
  {
    name: "to",
    title: "To",
    isDefault: true,
    cell: ({ phone }) => <Foreign text={phone?.to} />,
    exported: ({ phone }) => phone?.to,
  },
];

/** How it went. */
const LATER_COLUMNS: readonly CallColumn[] = [
  {
    name: "durationMs",
    title: "Duration",
    width: 88,
    isFigure: true,
    isDefault: true,
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
    exported: ({ durationMs }) => durationMs,
  },
  {
    name: "turnP50Ms",
    title: "Turn, median",
    width: 104,
    isFigure: true,
    isDefault: true,
    cell: ({ latency }) => <Delay ms={latency?.total?.p50Ms} />,
    exported: ({ latency }) => latency?.total?.p50Ms,
  },
  {
    name: "turnP95Ms",
    title: "Turn, p95",
    width: 96,
    isFigure: true,
    cell: ({ latency }) => <Delay ms={latency?.total?.p95Ms} />,
    exported: ({ latency }) => latency?.total?.p95Ms,
  },
  {
    name: "turns",
    title: "Replies",
    width: 72,
    isFigure: true,
    cell: ({ latency }) => <Count of={latency?.total?.count} />,
    exported: ({ latency }) => latency?.total?.count,
  },
  {
    name: "cost",
    title: "Cost",
    width: 112,
    isFigure: true,
    isDefault: true,
    cell: ({ cost }) => <Money amount={cost?.total} currency={cost?.currency ?? ""} />,
    exported: ({ cost }) => cost?.total,
  },
  {
    name: "endReason",
    title: "Why it ended",
    width: 160,
    isDefault: true,
    cell: ({ endReason }) => <Foreign text={endText(endReason)} />,
    exported: ({ endReason }) => endReason,
  },
];

export const callColumns = (agents: ReadonlyMap<string, string>): readonly CallColumn[] => [
  ...FIRST_COLUMNS,
  {
    name: "agent",
    title: "Agent",
    width: 168,
    isDefault: true,
    cell: ({ agentId }) => <AgentLink id={agentId} names={agents} />,
    exported: ({ agentId }) => agentId,
  },
  ...LATER_COLUMNS,
  ...MORE_COLUMNS,
];
