import { useState } from "preact/hooks";
import type { Schema } from "../../../client/src/index.ts";
import { api } from "../../app/api.ts";
import { problemOf } from "../../app/errors.ts";
import { exampleArguments, jsonObjectOf } from "../../app/json-schema.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote } from "../../ui/failure.tsx";
import { Field } from "../../ui/field.tsx";
import { Code, CodeBlock, Delay } from "../../ui/figures.tsx";
import { FAULTS } from "./faults.ts";
import type { Tool } from "./form.ts";
import { requestText, resultText } from "./shown.ts";
import "./tool.css";

type Result = Schema<"ToolTestResult">;

/** Runs the tool once, and shows what was sent and what came back. */
export function TestTool({ tool }: { tool: Tool }) {
  const isRunnable = tool.type !== "client" && (tool.mcp === null || tool.mcp.tools.length > 0);
  if (!isRunnable) {
    return (
      <Empty title="This tool cannot be tested here.">
        <p>
          {tool.type === "client"
            ? "The program at the other end of a call carries it out: make a call in which the agent uses it."
            : "Its server has no tool that calls may have."}
        </p>
      </Empty>
    );
  }
  return <TestForm tool={tool} />;
}

const jsonText = (value: object): string => JSON.stringify(value, undefined, 2);

const schemaOf = ({ mcp, parameters }: Tool, name: string): Record<string, unknown> =>
  mcp?.tools.find((one) => one.name === name)?.parameters ?? parameters ?? {};

function TestForm({ tool }: { tool: Tool }) {
  const names = tool.mcp?.tools.map(({ name }) => name) ?? [];
  const [toolName, setToolName] = useState(names[0] ?? "");
  const [text, setText] = useState(() => jsonText(exampleArguments(schemaOf(tool, toolName))));
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<Result>();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    const given = jsonObjectOf(text);
    setProblem("problem" in given ? given.problem : undefined);
    setError(undefined);
    if ("problem" in given) return;
    setBusy(true);
    setResult(undefined);
    try {
      const body = { arguments: given.value, ...(tool.type === "mcp" && { toolName }) };
      setResult(await api.post("/tools/{id}/test", { path: { id: tool.id }, body }));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="tool-columns">
      <form
        class="tool-column"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p class="soft">The tool runs once as in a call. What it does is real.</p>
        {names.length > 0 && (
          <Field label="Tool of the server" problem={problemOf(error, "toolName")}>
            {(control) => (
              <select
                {...control}
                value={toolName}
                onChange={({ currentTarget: { value } }) => {
                  setToolName(value);
                  setText(jsonText(exampleArguments(schemaOf(tool, value))));
                }}
              >
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field
          label="Arguments, as JSON"
          hint="As the LLM would choose them."
          problem={problem ?? problemOf(error, "arguments")}
        >
          {(control) => (
            <textarea
              {...control}
              class="control tool-code"
              rows={10}
              spellcheck={false}
              value={text}
              onInput={({ currentTarget: { value } }) => setText(value)}
            />
          )}
        </Field>
        <ErrorNote error={error} />
        <div class="tool-actions">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            Run the tool
          </Button>
        </div>
      </form>
      <div class="tool-column" role="status">
        {result !== undefined && <TestResult result={result} />}
        {result === undefined && (
          <p class="soft">
            {isBusy ? "The tool is running …" : "What was sent, what came back, and how long it took appear here."}
          </p>
        )}
      </div>
    </div>
  );
}

function TestResult({ result }: { result: Result }) {
  const { request, response, failed, fault, durationMs } = result;
  return (
    <>
      <h2>Result</h2>
      <Facts>
        <Fact name="Outcome">{failed ? <Badge tone="bad">failed</Badge> : <Badge tone="good">done</Badge>}</Fact>
        <Fact name="Took">
          <Delay ms={durationMs} />
        </Fact>
        {response?.status != null && (
          <Fact name="Status">
            <Code>{response.status}</Code>
          </Fact>
        )}
      </Facts>
      {fault !== null && (
        <p>
          {FAULTS[fault] ?? "It failed."}{" "}
          <span class="soft">
            (<Code>{fault}</Code>)
          </span>
        </p>
      )}
      <h3>The request as it was sent</h3>
      {request === null ? (
        <p class="soft">Nothing was sent.</p>
      ) : (
        <CodeBlock label="The request as it was sent" text={requestText(request)} />
      )}
      <h3>What the LLM is given</h3>
      <CodeBlock label="What the LLM is given" text={resultText(result.result)} />
    </>
  );
}
