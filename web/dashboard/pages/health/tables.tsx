import { words } from "../../app/format.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Code, Count, Delay, Foreign } from "../../ui/figures.tsx";
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
  { name: "state", title: "State", cell: ({ state }) => <Badge tone={PART_TONES[state]}>{stateText(state)}</Badge> },
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

const stateText = (state: Part["state"]): string => (state === "optional" ? "not set, and need not be" : state);

export const ConfigurationTable = ({ parts }: { parts: readonly Part[] }) => (
  <Table label="Configuration" columns={PART_COLUMNS} rows={missingFirst(parts)} keyOf={({ name }) => name} />
);
