import type { ComponentChildren } from "preact";
import { problemOf } from "../../app/errors.ts";
import type { ToolType } from "../../app/tool-words.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Code } from "../../ui/figures.tsx";
import { type FormProblems, type GivenHeader, type GivenTool, type HttpMethod, headerField, METHODS } from "./form.ts";
import "./tool.css";

export interface ToolFieldsProps {
  type: ToolType;
  given: GivenTool;
  onChange: (given: GivenTool) => void;
  /** What the page itself found wrong. */
  problems: FormProblems;
  /** What the service answered. */
  error: unknown;
  /** The headers that the service has, whose values it does not show. */
  storedHeaders: readonly string[];
}

/** The fields of a tool, by its kind. */
export function ToolFields(props: ToolFieldsProps) {
  const { type, given, onChange } = props;
  const set = (changes: Partial<GivenTool>): void => onChange({ ...given, ...changes });
  const problem = (field: string): string | undefined => props.problems[field] ?? problemOf(props.error, field);
  return (
    <div class="tool-columns">
      <div class="tool-column">
        <TextField
          label="Name"
          hint={type === "mcp" ? "For people alone." : "The LLM calls it so: of A-Z, a-z, 0-9, _ and -."}
          problem={problem("name")}
          value={given.name}
          onChange={(name) => set({ name })}
          isRequired
        />
        <TextField
          label="Description"
          hint={type === "mcp" ? "For people alone." : "For the LLM: what the tool does, and when it is to be used."}
          problem={problem("description")}
          value={given.description}
          onChange={(description) => set({ description })}
          isRequired={type !== "mcp"}
          rows={3}
        />
        {type !== "client" && <ServerFields {...props} set={set} problem={problem} />}
        <RunFields given={given} set={set} problem={problem} />
      </div>
      {type !== "mcp" && (
        <div class="tool-column">
          <Field
            label="Arguments, as a JSON Schema"
            hint="What the LLM may choose. Its choices are checked against it before anything is sent."
            problem={problem("parameters")}
          >
            {(control) => (
              <textarea
                {...control}
                class="control tool-code"
                rows={22}
                spellcheck={false}
                value={given.parameters}
                onInput={({ currentTarget: { value } }) => set({ parameters: value })}
              />
            )}
          </Field>
        </div>
      )}
    </div>
  );
}

interface PartProps {
  set: (changes: Partial<GivenTool>) => void;
  problem: (field: string) => string | undefined;
}

function ServerFields({ type, given, set, problem, storedHeaders }: ToolFieldsProps & PartProps) {
  return (
    <fieldset class="tool-group">
      <legend>{type === "http" ? "Request" : "Server"}</legend>
      {type === "http" && (
        <Field
          label="Method"
          hint="Arguments that are not in the address go into the query of GET and DELETE, and into a JSON body otherwise."
          problem={problem("http.method")}
        >
          {(control) => (
            <select
              {...control}
              class="control tool-short"
              value={given.method}
              onChange={({ currentTarget: { value } }) => set({ method: value as HttpMethod })}
            >
              {METHODS.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      <TextField
        label="Address"
        hint={
          type === "http" ? (
            <>
              On the public internet. <Code>{"{name}"}</Code> in its path or query stands for an argument.
            </>
          ) : (
            "Its endpoint for Streamable HTTP, on the public internet."
          )
        }
        problem={problem(`${type}.url`)}
        value={given.url}
        onChange={(url) => set({ url })}
        isRequired
      />
      <Headers
        type={type}
        headers={given.headers}
        onChange={(headers) => set({ headers })}
        problem={problem}
        storedHeaders={storedHeaders}
      />
      {type === "mcp" && (
        <TextField
          label="Tools that calls may have"
          hint="One name in each line; empty for all of them."
          problem={problem("mcp.allowedTools")}
          value={given.allowedTools}
          onChange={(allowedTools) => set({ allowedTools })}
          rows={3}
        />
      )}
    </fieldset>
  );
}

interface HeadersProps extends Pick<PartProps, "problem"> {
  type: ToolType;
  headers: readonly GivenHeader[];
  onChange: (headers: readonly GivenHeader[]) => void;
  storedHeaders: readonly string[];
}

function Headers({ type, headers, onChange, problem, storedHeaders }: HeadersProps) {
  const set = (at: number, changes: Partial<GivenHeader>): void =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...changes } : header)));
  return (
    <div class="tool-headers">
      <p class="tool-label">Headers</p>
      {headers.map((header, at) => (
        <div key={at} class="tool-header">
          <Field label="Name">
            {(control) => (
              <input
                {...control}
                autocomplete="off"
                spellcheck={false}
                value={header.name}
                onInput={({ currentTarget: { value } }) => set(at, { name: value })}
              />
            )}
          </Field>
          <Field label="Value" problem={problem(headerField(type, header.name))}>
            {(control) => (
              <input
                {...control}
                autocomplete="off"
                spellcheck={false}
                value={header.value}
                placeholder={storedHeaders.includes(header.name) ? "stored, not shown" : "Bearer {{SHOP_TOKEN}}"}
                onInput={({ currentTarget: { value } }) => set(at, { value })}
              />
            )}
          </Field>
          <Button
            aria-label={`Remove the header ${header.name}`}
            onClick={() => onChange(headers.filter((_, index) => index !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button onClick={() => onChange([...headers, { name: "", value: "" }])}>Add a header</Button>
      <p class="field-hint">
        <Code>{"{{NAME}}"}</Code> stands for a secret that an owner has stored. Values are not shown again
        {storedHeaders.length > 0 && ": a change of the request needs them once more"}.
      </p>
    </div>
  );
}

const RunFields = ({ given, set, problem }: PartProps & { given: GivenTool }) => (
  <fieldset class="tool-group">
    <legend>How it runs</legend>
    <Field label="Timeout, ms" hint="After it the LLM is given an error." problem={problem("timeoutMs")}>
      {(control) => (
        <input
          {...control}
          class="control tool-short"
          type="number"
          required
          value={given.timeoutMs}
          onInput={({ currentTarget: { value } }) => set({ timeoutMs: value })}
        />
      )}
    </Field>
    <Check
      label="It only reads"
      hint="Then it may be used where tools with effects are not offered, and is sent again as below."
      isOn={given.readOnly}
      onChange={(readOnly) => set({ readOnly })}
    />
    <Check
      label="Twice is as once"
      hint="Then it is sent once more when its server could not be reached."
      isOn={given.idempotent}
      onChange={(idempotent) => set({ idempotent })}
    />
    <TextField
      label="What the agent says while it takes long"
      hint="Empty for the service's own phrase."
      problem={problem("whileRunning")}
      value={given.whileRunning}
      onChange={(whileRunning) => set({ whileRunning })}
    />
  </fieldset>
);

interface TextFieldProps {
  label: string;
  hint: ComponentChildren;
  problem: string | undefined;
  value: string;
  onChange: (value: string) => void;
  isRequired?: boolean;
  /** More than one line. */
  rows?: number;
}

const TextField = ({ label, hint, problem, value, onChange, isRequired = false, rows }: TextFieldProps) => (
  <Field label={label} hint={hint} problem={problem}>
    {(control) =>
      rows === undefined ? (
        <input
          {...control}
          required={isRequired}
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <textarea
          {...control}
          required={isRequired}
          rows={rows}
          dir="auto"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
    }
  </Field>
);

interface CheckProps {
  label: string;
  hint: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

const Check = ({ label, hint, isOn, onChange }: CheckProps) => (
  <label class="tool-check">
    <input type="checkbox" checked={isOn} onChange={({ currentTarget: { checked } }) => onChange(checked)} />
    <span>
      {label}
      <span class="field-hint">{hint}</span>
    </span>
  </label>
);
