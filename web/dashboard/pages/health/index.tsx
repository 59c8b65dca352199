import { api } from "../../app/api.ts";
import { bytesText, durationText } from "../../app/format.ts";
import { useResource } from "../../app/use-resource.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Count, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame, Section } from "../../ui/page.tsx";
import { type Fault, faultsOf, type Status } from "./faults.ts";
import { ConfigurationTable, JobTable, NodeTable, ProviderTable, WorkerTable } from "./tables.tsx";
import "./health.css";

/** After these a worker has another number of calls. Of the rest no event reports: coming back to the page reads it again. */
const EVENTS = ["call.created", "call.started", "call.ended", "call.expired"];

/** The state of the whole service. */
export function Page() {
  const status = useResource("status", (signal) => api.get("/status", { signal }), { on: EVENTS });
  useShownAgain(status.reload);
  return (
    <Frame title="Health" actions={<Button onClick={status.reload}>Reload</Button>}>
      {status.status === "loading" && <Loading what="the state of the service" />}
      {status.status === "failed" && <Failure error={status.error} onRetry={status.reload} />}
      {status.status === "ready" && (
        <>
          <ErrorNote error={status.error} />
          <Health status={status.value} />
        </>
      )}
    </Frame>
  );
}

function Health({ status }: { status: Status }) {
  const { nodes, workers, providers, jobs, configuration } = status;
  return (
    <>
      <p class="soft">
        Trunkline {status.version}, as of <Time at={status.checkedAt} />. The figures change with calls, when you
        reload, and when you come back to this page.
      </p>
      <Faults faults={faultsOf(status)} />
      <ServiceFacts status={status} />
      {nodes.length > 0 && (
        <Section title="Nodes">
          <NodeTable nodes={nodes} />
          <p class="soft">The rest of this page is of the node that has answered.</p>
        </Section>
      )}
      <Section title="Workers">
        {workers.length === 0 ? (
          <Empty title="No media worker is connected.">
            <p>The log of the service says why: a worker that ends is started again.</p>
          </Empty>
        ) : (
          <WorkerTable workers={workers} />
        )}
      </Section>
      <Section title="Providers">
        {providers.length === 0 ? (
          <Empty title="No worker has said which providers it uses." />
        ) : (
          <>
            <ProviderTable providers={providers} />
            <p class="soft">
              Since the workers started. The delay of an STT is from the end of the caller's speech to the final
              transcript, that of an LLM and a TTS from the request to the first content.
            </p>
          </>
        )}
      </Section>
      <Section title="Jobs">
        <Jobs jobs={jobs} />
      </Section>
      <Section title="Configuration">
        <ConfigurationTable parts={configuration} />
      </Section>
    </>
  );
}

const Faults = ({ faults }: { faults: readonly Fault[] }) => (
  <div role="status">
    {faults.length === 0 ? (
      <Badge tone="good">Nothing is wrong.</Badge>
    ) : (
      <ul class="health-faults">
        {faults.map(({ tone, text }) => (
          <li key={text} class={`health-${tone}`}>
            <Badge tone={tone}>{tone === "bad" ? "Fault" : "Warning"}</Badge> {text}
          </li>
        ))}
      </ul>
    )}
  </div>
);

const ServiceFacts = ({ status: { newCalls, slots, disk, database } }: { status: Status }) => (
  <Facts>
    <Fact name="New calls">
      {newCalls.accepted ? <Badge tone="good">accepted</Badge> : <Badge tone="bad">refused</Badge>}
    </Fact>
    <Fact name="Calls">
      <Count of={slots.active} /> live, <Count of={slots.reserved} /> not connected yet, <Count of={slots.max} /> at
      most
    </Fact>
    <Fact name="Disk">
      <Disk disk={disk} />
    </Fact>
    <Fact name="Database">
      <Badge tone={database.state === "ok" ? "good" : "bad"}>
        {database.kind === "sqlite" ? "SQLite" : "Postgres"}
        {database.state === "ok" ? ", answers" : ", does not answer"}
      </Badge>
    </Fact>
  </Facts>
);

function Disk({ disk: { state, freeBytes, minFreeBytes } }: { disk: Status["disk"] }) {
  if (state === "unknown") return <Badge tone="warn">not known</Badge>;
  return (
    <>
      <Badge tone={state === "ok" ? "good" : "bad"}>
        {freeBytes === null ? "enough" : `${bytesText(freeBytes)} free`}
      </Badge>
      <div class="soft">new calls need {bytesText(minFreeBytes)}</div>
    </>
  );
}

function Jobs({ jobs: { waiting, running, dead, oldestDueSeconds, kinds } }: { jobs: Status["jobs"] }) {
  return (
    <>
      <Facts>
        <Fact name="Waiting">
          <Count of={waiting} />
        </Fact>
        <Fact name="In progress">
          <Count of={running} />
        </Fact>
        <Fact name="Failed for good">
          <Count of={dead} />
        </Fact>
        <Fact name="Due the longest">
          {oldestDueSeconds === 0 ? "none is due" : durationText(oldestDueSeconds * 1_000, { tenths: false })}
        </Fact>
      </Facts>
      {kinds.length > 0 && <JobTable kinds={kinds} />}
      {dead > 0 && (
        <p>
          <code>npm run admin -- jobs list --status dead</code> says why they failed, and{" "}
          <code>npm run admin -- jobs replay</code> with their ids tries them again.
        </p>
      )}
      <p class="soft">Counted every 10 s.</p>
    </>
  );
}
