import { Facts } from "../../ui/facts.tsx";
import { Code, Delay, Foreign } from "../../ui/figures.tsx";
import { Schema } from "../../ui/schema.tsx";
import type { Tool } from "./form.ts";
import "./tool.css";

/** What a tool is, for those who may not change it. */
export function Definition({ tool }: { tool: Tool }) {
  const { http, mcp, parameters } = tool;
  const headerNames = http?.headerNames ?? mcp?.headerNames ?? [];
  return (
    <div class="tool-part">
      {tool.description !== null && (
        <p class="tool-text">
          <Foreign text={tool.description} />
        </p>
      )}
      <Facts
        facts={[
          http === null ? undefined : { name: "Method", value: <Code>{http.method}</Code> },
          { name: "Address", value: <Foreign text={http?.url ?? mcp?.url} /> },
          {
            name: "Headers, whose values are not shown",
            value: <Foreign text={headerNames.join(", ")} />,
          },
          { name: "Timeout", value: <Delay ms={tool.timeoutMs} /> },
          { name: "It only reads", value: tool.readOnly ? "yes" : "no" },
          { name: "Twice is as once", value: tool.idempotent ? "yes" : "no" },
          { name: "While it takes long the agent says", value: <Foreign text={tool.whileRunning} /> },
        ]}
      />
      {parameters !== null && (
        <>
          <h2>Arguments</h2>
          <Schema schema={parameters} of={tool.name} />
        </>
      )}
    </div>
  );
}
