import { words } from "../../app/format.ts";
import { Empty } from "../../ui/empty.tsx";
import { Code, Foreign, Time } from "../../ui/figures.tsx";
import { Schema } from "../../ui/schema.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { Tool } from "./form.ts";
import "./tool.css";

type Mcp = NonNullable<Tool["mcp"]>;
type ServerTool = Mcp["tools"][number];
type Omitted = Mcp["omittedTools"][number];

const COLUMNS: readonly Column<ServerTool>[] = [
  { name: "name", title: "Name", cell: ({ name }) => <Code>{name}</Code> },
  { name: "description", title: "What the LLM reads", cell: ({ description }) => <Foreign text={description} /> },
  { name: "arguments", title: "Arguments", cell: ({ name, parameters }) => <Schema schema={parameters} of={name} /> },
];

/** Why a tool of a server is not given to calls. */
const REASONS: Readonly<Record<Omitted["reason"], string>> = {
  malformed: "the server describes it in a way that cannot be read",
  name: "its name has characters that LLMs do not take, or is too long",
  built_in: "it has the name of a built-in tool",
  duplicate: "the server has two of this name",
  schema: "the schema of its arguments cannot be used",
  too_many: "the server has more tools than calls may have",
};

const OMITTED: readonly Column<Omitted>[] = [
  { name: "name", title: "Name", cell: ({ name }) => <Foreign text={name} /> },
  { name: "reason", title: "Why calls do not get it", cell: ({ reason }) => REASONS[reason] ?? words(reason) },
];

/** The tools of an MCP server, as the service was given them. */
export function ServerTools({ tool: { mcp } }: { tool: Tool }) {
  if (mcp === null) return null;
  return (
    <div class="tool-part">
      <p class="soft">
        The server was last asked <Time at={mcp.listedAt} />. It is asked again when a call is created some time after.
      </p>
      {mcp.listFailure !== null && (
        <p class="tool-warning" role="status">
          It could not be asked again, so this is the earlier list: <Foreign text={mcp.listFailure} />
        </p>
      )}
      {mcp.tools.length === 0 ? (
        <Empty title="The server has no tool that calls may have." />
      ) : (
        <Table label="Tools of the server" columns={COLUMNS} rows={mcp.tools} keyOf={({ name }) => name} />
      )}
      {mcp.omittedTools.length > 0 && (
        <>
          <h2>Left out</h2>
          <Table
            label="Tools that are left out"
            columns={OMITTED}
            rows={mcp.omittedTools}
            keyOf={({ name, reason }) => `${name} ${reason}`}
          />
        </>
      )}
    </div>
  );
}
