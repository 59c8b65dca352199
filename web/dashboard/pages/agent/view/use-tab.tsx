import { API_REFERENCE, CALLS, NUMBERS } from "../../../app/addresses.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Badge } from "../../../ui/badge.tsx";
import { ErrorNote } from "../../../ui/failure.tsx";
import { Code, CodeBlock, Foreign } from "../../../ui/figures.tsx";
import { Section } from "../../../ui/page.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import type { Agent } from "../load.ts";
import { loadNumbers } from "./numbers.ts";

type PhoneNumber = Awaited<ReturnType<typeof loadNumbers>>["items"][number];

/** Where the agent is used, and how a program calls it. */
export const UseTab = ({ agent }: { agent: Agent }) => (
  <div class="agent-use">
    <Section title="Telephone numbers">
      <Numbers agentId={agent.id} />
    </Section>
    <Section title="Calls">
      <p>
        <a href={`${CALLS}?agentId=${encodeURIComponent(agent.id)}`}>All calls of this agent</a>
      </p>
    </Section>
    <Section title="From a program">
      <p>
        Its id is <Code>{agent.id}</Code>. A call of it is made with{" "}
        <a href={API_REFERENCE}>POST /agents/{"{id}"}/calls</a>:
      </p>
      <CodeBlock label="A request that makes a call" text={requestOf(agent)} />
    </Section>
  </div>
);

function Numbers({ agentId }: { agentId: string }) {
  const numbers = useResource(`numbers of ${agentId}`, (signal) => loadNumbers(agentId, signal));
  if (numbers.status === "loading") return <p class="soft">Loading the numbers …</p>;
  if (numbers.status === "failed") return <ErrorNote error={numbers.error} />;
  const { items } = numbers.value;
  if (items.length === 0) {
    return (
      <p class="soft">
        The agent answers none. <a href={NUMBERS}>Numbers and carriers</a> is where a number gets its agent.
      </p>
    );
  }
  return <Table label="Numbers of the agent" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />;
}

const COLUMNS: readonly Column<PhoneNumber>[] = [
  { name: "number", title: "Number", cell: ({ number }) => <a href={NUMBERS}>{number}</a> },
  { name: "name", title: "Name", cell: ({ name }) => <Foreign text={name} /> },
  {
    name: "attached",
    title: "State",
    cell: ({ attached }) =>
      attached ? <Badge tone="good">answers calls</Badge> : <Badge tone="neutral">not attached</Badge>,
  },
];

/** With a value for each variable that has no default. */
function requestOf({ id, variables }: Agent): string {
  const needed = variables.filter((variable) => variable.default === undefined);
  const values = Object.fromEntries(needed.map(({ name, type }) => [name, EXAMPLES[type]]));
  const body = JSON.stringify(needed.length === 0 ? {} : { variables: values });
  return [
    `curl -sS ${location.origin}/api/v1/agents/${id}/calls \\`,
    '  -H "X-API-Key: $TRUNKLINE_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join("\n");
}

const EXAMPLES = { string: "…", number: 0, boolean: true } as const;
