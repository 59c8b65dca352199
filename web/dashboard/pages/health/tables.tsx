import { words } from "../../app/format.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Code, Count, Delay, Foreign, Time } from "../../ui/figures.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { byStage, missingFirst, type Part, type Status, stageText } from "./faults.ts";

type Worker = Status["workers"][number];
type Provider = Status["providers"][number];
type JobsOfKind = Status["jobs"]["kinds"][number];

const WORKER_COLUMNS: readonly Column<Worker>[] = [
  {
    name: "state",
    title: "State",
    cell: ({ acceptsCalls }) =>
      acceptsCalls ? <Badge tone="good">takes calls</Badge> : <Badge tone="warn">takes no calls</Badge>,
  },
  {
    name: "role",
    title: "Carries",
    cell: ({ role }) => (role === "webrtc" ? "calls by WebRTC" : "calls by WebSocket, as of carriers"),
  },
  {
    name: "calls",
    title: "Calls",
    isFigure: true,
    cell: ({ calls, callsMax }) => (
      <>
        <Count of={calls} /> <span class="soft">of</span> <Count of={callsMax} />
      </>
    ),
  },
  { name: "delay", title: "Event loop", isFigure: true, cell: ({ loopDelayMs }) => <LoopDelay ms={loopDelayMs} /> },
  {
    name: "id",
    title: "Id",
    cell: ({ id }) => (
      <span class="health-id">
        <Code>{id}</Code>
      </span>
    ),
  },
];

/** Some milliseconds, of which tenths count. */
const LoopDelay = ({ ms }: { ms: number }) => <span class="figure">{ms.toFixed(1)} ms</span>;

export const WorkerTable = ({ workers }: { workers: readonly Worker[] }) => (
  <Table label="Workers" columns={WORKER_COLUMNS} rows={workers} keyOf={({ id }) => id} />
);

type Node = Status["nodes"][number];

const NODE_STATES: Readonly<Record<Node["state"], { tone: Tone; text: string }>> = {
  accepting: { tone: "good", text: "takes calls" },
  refusing: { tone: "warn", text: "takes no calls" },
  draining: { tone: "warn", text: "draining" },
  gone: { tone: "bad", text: "gone" },
};

const NODE_COLUMNS: readonly Column<Node>[] = [
  { name: "name", title: "Name", cell: ({ name }) => <Foreign text={name} /> },
  {
    name: "state",
    title: "State",
    cell: ({ state, takenBy }) => (
      <>
        <Badge tone={NODE_STATES[state].tone}>{NODE_STATES[state].text}</Badge>
        {takenBy !== null && <span class="soft"> · its calls are recorded by {takenBy}</span>}
      </>
    ),
  },
  {
    name: "calls",
    title: "Calls",
    isFigure: true,
    cell: ({ slots: { active, reserved, max } }) => (
      <>
        <Count of={active + reserved} /> <span class="soft">of</span> <Count of={max} />
      </>
    ),
  },
  { name: "version", title: "Version", cell: ({ version }) => version },
  { name: "address", title: "Streams reach it at", cell: ({ mediaUrl }) => <Foreign text={mediaUrl} /> },
  { name: "since", title: "Started", cell: ({ startedAt }) => <Time at={startedAt} seconds={false} /> },
];

/** The nodes of a cluster, of which this service is one. */
export const NodeTable = ({ nodes }: { nodes: readonly Node[] }) => (
  <Table label="Nodes" columns={NODE_COLUMNS} rows={nodes} keyOf={({ name }) => name} />
);

const PROVIDER_COLUMNS: readonly Column<Provider>[] = [
  { name: "stage", title: "Stage", cell: ({ stage }) => stageText(stage) },
  { name: "provider", title: "Provider", cell: ({ provider }) => <Foreign text={provider} /> },
  {
    name: "breaker",
    title: "Circuit breaker",
    cell: ({ circuitBreaker, openInWorkers }) =>
      circuitBreaker === "closed" ? (
        <Badge tone="good">closed</Badge>
      ) : (
        <Badge tone="bad">open in {openInWorkers === 1 ? "1 worker" : `${openInWorkers} workers`}</Badge>
      ),
  },
  { name: "median", title: "Delay, median", isFigure: true, cell: ({ medianDelayMs }) => <Delay ms={medianDelayMs} /> },
  { name: "p95", title: "95 %", isFigure: true, cell: ({ p95DelayMs }) => <Delay ms={p95DelayMs} /> },
  { name: "answers", title: "Responses", isFigure: true, cell: ({ answers }) => <Count of={answers} /> },
  { name: "failures", title: "Failures", isFigure: true, cell: ({ failures }) => <Count of={failures} /> },
];

export const ProviderTable = ({ providers }: { providers: readonly Provider[] }) => (
  <Table
    label="Providers"
    columns={PROVIDER_COLUMNS}
    rows={byStage(providers)}
    keyOf={({ stage, provider }) => `${stage} ${provider}`}
  />
);

/** What the kinds of jobs do; others are shown by their names. */
const JOB_TEXTS: Readonly<Record<string, string>> = {
  "recording.render": "make the recording of a call",
  "call.analyse": "analyse a call",
  "call.announce-end": "report the end of a call whose analysis is late",
  "webhook.deliver": "deliver an event to a webhook",
  "telephony.carrier": "ask a carrier for something",
  "transcription.run": "transcribe a file",
  "document.process": "process a document",
  "corpus.clean": "delete what is stored of deleted documents",
  "tools.list": "list the tools of an MCP server",
  "call.delete-files": "delete files of a call at its node",
  "bucket.delete": "delete again in the bucket",
  "file.check": "delete unused files in the bucket",
  "retention.run": "delete by retention",
  "jobs.clean": "delete old jobs and events",
  "secrets.reseal": "seal secrets with the new key",
  "webhooks.limit": "find webhooks with too many deliveries",
};

const JOB_COLUMNS: readonly Column<JobsOfKind>[] = [
  { name: "kind", title: "Jobs that", cell: ({ kind }) => JOB_TEXTS[kind] ?? words(kind) },
  { name: "waiting", title: "Waiting", isFigure: true, cell: ({ waiting }) => <Count of={waiting} /> },
  { name: "running", title: "In progress", isFigure: true, cell: ({ running }) => <Count of={running} /> },
  { name: "dead", title: "Failed for good", isFigure: true, cell: ({ dead }) => <Count of={dead} /> },
  {
    name: "name",
    title: "Kind",
    cell: ({ kind }) => (
      <span class="health-id">
        <Code>{kind}</Code>
      </span>
    ),
  },
];

export const JobTable = ({ kinds }: { kinds: readonly JobsOfKind[] }) => (
  <Table label="Jobs by kind" columns={JOB_COLUMNS} rows={kinds} keyOf={({ kind }) => kind} />
);

const PART_TONES: Readonly<Record<Part["state"], Tone>> = { ready: "good", missing: "bad", optional: "neutral" };

const PART_COLUMNS: readonly Column<Part>[] = [
  { name: "state", title: "State", cell: ({ state }) => <Badge tone={PART_TONES[state]}>{state}</Badge> },
  { name: "name", title: "Part", cell: ({ name }) => <Foreign text={name} /> },
  {
    name: "variables",
    title: "Variable",
    cell: ({ variables }) => (
      <>
        {variables.map((variable) => (
          <div key={variable} class="health-id">
            <Code>{variable}</Code>
          </div>
        ))}
      </>
    ),
  },
  { name: "message", title: "At present", cell: ({ message }) => <Foreign text={message} /> },
];

export const ConfigurationTable = ({ parts }: { parts: readonly Part[] }) => (
  <Table label="Configuration" columns={PART_COLUMNS} rows={missingFirst(parts)} keyOf={({ name }) => name} />
);
