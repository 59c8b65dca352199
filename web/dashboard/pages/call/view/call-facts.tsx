import type { ComponentChildren } from "preact";
import { agentPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { endText, stateOf } from "../../../app/call-states.ts";
import { numberText, words } from "../../../app/format.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Code, Duration, Foreign, Money, Time } from "../../../ui/figures.tsx";
import type { Call } from "../model/types.ts";
import { ReplayCheck } from "./replay-check.tsx";
import "./lists.css";

/** Who, when, how long, and how it ended. */
export function CallFacts({ call }: { call: Call }) {
  const { endReason, phone, cost, connectionType } = call;
  const state = stateOf(call);
  return (
    <dl class="call-facts">
      <Fact name="Status">
        <Badge tone={state.tone}>{state.text}</Badge>
        {endReason !== null && <span> · {endText(endReason)}</span>}
      </Fact>
      <Fact name={phone === null ? "Connection" : words(`${phone.direction} call`)}>
        {phone === null ? (
          words(connectionType)
        ) : (
          <>
            <Foreign text={phone.from} /> → <Foreign text={phone.to} />
          </>
        )}
      </Fact>
      <Fact name="Started">
        <Time at={call.startedAt ?? call.createdAt} />
      </Fact>
      <Fact name="Duration">
        <Duration ms={call.durationMs} />
      </Fact>
      <Fact name="Agent">
        <Agent call={call} />
      </Fact>
      <Fact name="Cost">
        {cost === null ? (
          <span class="soft">no prices</span>
        ) : (
          <>
            <Money amount={cost.total} currency={cost.currency} />
            {!cost.complete && <span class="soft"> and what has no price</span>}
          </>
        )}
      </Fact>
      <Fact name="Replay check">
        <ReplayCheck call={call} />
      </Fact>
      <Fact name="Id">
        <Code>{call.id}</Code>
      </Fact>
    </dl>
  );
}

function Agent({ call: { agentId, agentVersion } }: { call: Call }) {
  const agent = useResource(`agent of a call ${agentId}`, async (signal) =>
    agentId === null ? undefined : await api.get("/agents/{id}", { path: { id: agentId }, signal }),
  );
  if (agentId === null) return <span class="soft">without a saved agent</span>;
  return (
    <>
      <a href={agentPage(agentId)}>
        {agent.status === "ready" ? <Foreign text={agent.value?.name} /> : <Code>{agentId}</Code>}
      </a>
      {agentVersion !== null && (
        <>
          , <a href={`${agentPage(agentId)}?tab=versions&version=${agentVersion}`}>version {agentVersion}</a>
        </>
      )}
    </>
  );
}

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** What each provider did in the call, and what it cost. */
export function Costs({ call: { usage, cost } }: { call: Call }) {
  if (usage === null || usage.length === 0)
    return (
      <p class="soft">{usage === null ? "The figures are there when the call has ended." : "No provider was used."}</p>
    );
  const amountOf = ({ audioSeconds, inputTokens, outputTokens, characters }: (typeof usage)[number]): string =>
    [
      audioSeconds !== undefined && `${numberText(audioSeconds)} s of audio`,
      inputTokens !== undefined && `${numberText(inputTokens)} input tokens`,
      outputTokens !== undefined && `${numberText(outputTokens)} output tokens`,
      characters !== undefined && `${numberText(characters)} characters`,
    ]
      .filter((part) => part !== false)
      .join(", ");
  return (
    <div class="call-details-scroll">
      <table class="call-details-table">
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">Provider</th>
            <th scope="col">Used</th>
            <th scope="col" class="number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {usage.map((item, at) => (
            <tr key={at}>
              <td>{item.stage.toUpperCase()}</td>
              <td>
                {item.provider}
                {item.model !== undefined && ` ${item.model}`}
                {item.discarded === true && <span class="soft"> (preemptive, not used)</span>}
              </td>
              <td>
                {amountOf(item)}
                {item.approximate === true && <span class="soft"> (estimated in part)</span>}
              </td>
              <td class="number">
                <Money amount={item.cost} currency={cost?.currency ?? ""} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
