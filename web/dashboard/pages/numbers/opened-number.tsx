import { useEffect, useRef } from "preact/hooks";
import type { Schema } from "../../../client/src/index.ts";
import { CALLS, callPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { stateOf } from "../../app/call-states.ts";
import { useResource } from "../../app/use-resource.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Code, Count, Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { WebhookAddresses } from "./carriers.tsx";
import type { Carrier } from "./model/carriers.ts";
import { numberStateOf, type PhoneNumber } from "./model/states.ts";
import { NumberActions } from "./number-actions.tsx";
import type { NumberAct } from "./number-dialogs.tsx";
import { Problems } from "./problems.tsx";
import "./numbers.css";

interface Props {
  id: string;
  /** How often numbers were changed on the page: after each it is loaded again. */
  changes: number;
  carriers: readonly Carrier[];
  agents: ReadonlyMap<string, string>;
  onAct: (act: NumberAct) => void;
  onClose: () => void;
}

/** One number: whether it answers, and if not why, and its latest calls. */
export function OpenedNumber({ id, changes, carriers, agents, onAct, onClose }: Props) {
  const number = useResource(`number ${id}`, (signal) => api.get("/phone-numbers/{id}", { path: { id }, signal }));
  useEffect(() => {
    if (changes > 0) number.reload();
  }, [changes]);
  const heading = useRef<HTMLHeadingElement>(null);
  const isReady = number.status === "ready";
  // It opens above the row that was pressed.
  useEffect(() => heading.current?.focus(), [isReady]);
  return (
    <section class="numbers-opened" aria-label="Number">
      <div class="numbers-carrier-head">
        <h2 ref={heading} tabIndex={-1}>
          {number.status === "ready" ? <Code>{number.value.number}</Code> : "Number"}
        </h2>
        <div class="page-actions">
          {number.status === "ready" && (
            <NumberActions
              number={number.value}
              isEmulated={carriers.some((one) => one.id === number.value.carrierId && one.emulated)}
              onAct={onAct}
            />
          )}
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
      {number.status === "loading" && <Loading what="the number" />}
      {number.status === "failed" && <Failure error={number.error} onRetry={number.reload} />}
      {number.status === "ready" && (
        <>
          <ErrorNote error={number.error} />
          <Details number={number.value} carriers={carriers} agents={agents} />
        </>
      )}
    </section>
  );
}

interface DetailsProps {
  number: PhoneNumber;
  carriers: readonly Carrier[];
  agents: ReadonlyMap<string, string>;
}

function Details({ number, carriers, agents }: DetailsProps) {
  const carrier = carriers.find(({ id }) => id === number.carrierId);
  const { text, tone, problems } = numberStateOf(number, carrier);
  return (
    <>
      <Problems problems={problems} />
      <Facts>
        <Fact name="State">
          <Badge tone={tone}>{text}</Badge>
        </Fact>
        <Fact name="For">
          <Foreign text={number.name} />
        </Fact>
        <Fact name="Agent">
          <Foreign text={number.agentId === null ? null : (agents.get(number.agentId) ?? number.agentId)} />
        </Fact>
        {carrier !== undefined && (
          <Fact name="Carrier">
            <Foreign text={carrier.name} />
          </Fact>
        )}
        <Fact name="Calls in at once">
          {number.maxConcurrentCalls === null ? "no limit" : <Count of={number.maxConcurrentCalls} />}
        </Fact>
        <LatestCall direction="inbound" number={number} />
        <LatestCall direction="outbound" number={number} />
        <Fact name="Asked before a call is answered" isWide>
          <Foreign text={number.inboundWebhookUrl} />
        </Fact>
        <Fact name="What a caller hears who is not connected" isWide>
          {number.refusalText === null ? (
            <span class="soft">a phrase of the service</span>
          ) : (
            <Foreign text={number.refusalText} />
          )}
        </Fact>
      </Facts>
      {carrier !== undefined && <WebhookAddresses carrier={carrier} />}
    </>
  );
}

interface LatestProps {
  direction: "inbound" | "outbound";
  number: PhoneNumber;
}

/** The latest call of a number: a call in shows that the carrier reaches the service. */
function LatestCall({ direction, number: { number } }: LatestProps) {
  const ends = direction === "inbound" ? { to: number } : { from: number };
  const calls = useResource(
    `latest ${direction} call of ${number}`,
    (signal) => api.get("/calls", { query: { direction, ...ends, limit: 1 }, signal }),
    { on: ["call.created", "call.started", "call.ended"] },
  );
  const isInbound = direction === "inbound";
  return (
    <Fact name={isInbound ? "Latest call in" : "Latest call out"}>
      {calls.status === "loading" && <span class="soft">…</span>}
      {calls.status === "failed" && <span class="soft">could not be loaded</span>}
      {calls.status === "ready" && <CallOrNone call={calls.value.data[0]} />}
      {calls.status === "ready" && calls.value.data.length > 0 && (
        <>
          {" · "}
          <a href={`${CALLS}?direction=${direction}&${isInbound ? "to" : "from"}=${encodeURIComponent(number)}`}>all</a>
        </>
      )}
    </Fact>
  );
}

function CallOrNone({ call }: { call: Schema<"CallSummary"> | undefined }) {
  if (call === undefined) return <span class="soft">none yet</span>;
  return (
    <>
      <a href={callPage(call.id)}>
        <Time at={call.createdAt} />
      </a>
      , {stateOf(call).text}
    </>
  );
}
