import type { Schema } from "../../../client/src/index.ts";
import { api } from "../../app/api.ts";
import { useResource } from "../../app/use-resource.ts";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Code } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Schema as SchemaDetails } from "../../ui/schema.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type BuiltIn = Schema<"BuiltInTool">;

const COLUMNS: readonly Column<BuiltIn>[] = [
  { name: "name", title: "Name", cell: ({ toolName }) => <Code>{toolName}</Code> },
  { name: "description", title: "What the LLM reads", cell: ({ description }) => description },
  { name: "effects", title: "Effects", cell: ({ readOnly }) => (readOnly ? "only reads" : "acts on the call") },
  {
    name: "arguments",
    title: "Arguments",
    cell: ({ toolName, parameters }) => <SchemaDetails schema={parameters} of={toolName} />,
  },
];

/** The tools that the service carries out itself. */
export function BuiltInTools() {
  const tools = useResource("built-in tools", (signal) => api.get("/tools/built-ins", { signal }));
  if (tools.status === "loading") return <Loading what="the built-in tools" />;
  if (tools.status === "failed") return <Failure error={tools.error} onRetry={tools.reload} />;
  return (
    <div class="tools-part">
      <ErrorNote error={tools.error} />
      <p class="soft">
        The service carries these out itself. An agent has those that are selected in it, by their names.
      </p>
      <Table label="Built-in tools" columns={COLUMNS} rows={tools.value.data} keyOf={({ toolName }) => toolName} />
    </div>
  );
}
