import { Fact, Facts } from "../../ui/facts.tsx";
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
      <Facts>
        {http !== null && (
          <Fact name="Method">
            <Code>{http.method}</Code>
          </Fact>
        )}
        <Fact name="Address">
          <Foreign text={http?.url ?? mcp?.url} />
        </Fact>
        <Fact name="Headers, whose values are not shown">
          <Foreign text={headerNames.join(", ")} />
        </Fact>
        <Fact name="Timeout">
          <Delay ms={tool.timeoutMs} />
        </Fact>
        <Fact name="It only reads">{tool.readOnly ? "yes" : "no"}</Fact>
        <Fact name="Twice is as once">{tool.idempotent ? "yes" : "no"}</Fact>
        <Fact name="While it takes long the agent says">
          <Foreign text={tool.whileRunning} />
        </Fact>
      </Facts>
      {parameters !== null && (
        <>
          <h2>Arguments</h2>
          <Schema schema={parameters} of={tool.name} />
        </>
      )}
    </div>
  );
}
