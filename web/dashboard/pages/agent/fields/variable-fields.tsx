import { Button } from "../../../ui/button.tsx";
import type { Variable } from "../model/definition.ts";
import { usedVariables } from "../model/texts.ts";
import { readValue } from "../model/values.ts";
import { type Editing, problemAt } from "./editing.ts";
import { Problem } from "./list-fields.tsx";
import { NumberInput } from "./number-input.tsx";
import "./variable-fields.css";

const TYPES = [
  { value: "string", label: "text" },
  { value: "number", label: "number" },
  { value: "boolean", label: "yes or no" },
] as const;

/** The declared variables, one in a line. */
export function VariableFields({ editing }: { editing: Editing }) {
  const { definition, change, isReadOnly } = editing;
  const { variables } = definition;
  const used = usedVariables(definition);
  const set = (at: number, variable: Variable): void => change({ variables: variables.with(at, variable) });
  return (
    <>
      {variables.length > 0 && (
        <div class="variables">
          {variables.map((variable, at) => (
            <VariableLine
              // By its place: its name changes with every letter.
              key={at}
              editing={editing}
              at={at}
              variable={variable}
              isUsed={used.includes(variable.name)}
              onChange={(next) => set(at, next)}
              onRemove={() => change({ variables: variables.toSpliced(at, 1) })}
            />
          ))}
        </div>
      )}
      {variables.length === 0 && <p class="soft">None: all calls have the same texts.</p>}
      <Problem text={problemAt(editing, "variables")} />
      {!isReadOnly && (
        <div>
          <Button onClick={() => change({ variables: [...variables, { name: "", type: "string" }] })}>
            Add a variable
          </Button>
        </div>
      )}
    </>
  );
}

interface VariableLineProps {
  editing: Editing;
  at: number;
  variable: Variable;
  isUsed: boolean;
  onChange: (variable: Variable) => void;
  onRemove: () => void;
}

function VariableLine({ editing, at, variable, isUsed, onChange, onRemove }: VariableLineProps) {
  const { name, type } = variable;
  const label = name === "" ? `variable ${at + 1}` : name;
  const problems = ["name", "type", "default", "description"].flatMap(
    (field) => problemAt(editing, `variables.${at}.${field}`) ?? [],
  );
  return (
    <div class="variable">
      <input
        class="control"
        aria-label={`Name of ${label}`}
        placeholder="name"
        autocomplete="off"
        spellcheck={false}
        value={name}
        aria-invalid={problems.length > 0 || undefined}
        onInput={({ currentTarget: { value } }) => onChange({ ...variable, name: value })}
      />
      <select
        class="control"
        aria-label={`Type of ${label}`}
        value={type}
        onChange={({ currentTarget: { value } }) => {
          const { default: _, ...rest } = variable;
          onChange({ ...rest, type: value as Variable["type"] });
        }}
      >
        {TYPES.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
      <DefaultField variable={variable} label={label} onChange={onChange} />
      <input
        class="control"
        aria-label={`Description of ${label}`}
        placeholder="what it is"
        dir="auto"
        value={variable.description ?? ""}
        onInput={({ currentTarget: { value } }) => onChange(withDescription(variable, value))}
      />
      {!editing.isReadOnly && (
        <Button kind="quiet" aria-label={`Remove ${label}`} onClick={onRemove}>
          Remove
        </Button>
      )}
      {problems.length > 0 && <p class="field-problem variable-note">{problems.join(" ")}</p>}
      {problems.length === 0 && name !== "" && !isUsed && (
        <p class="field-hint variable-note">Not used in any text yet.</p>
      )}
    </div>
  );
}

interface DefaultFieldProps {
  variable: Variable;
  label: string;
  onChange: (variable: Variable) => void;
}

/** The value of calls that give none. */
function DefaultField({ variable, label, onChange }: DefaultFieldProps) {
  const { type, default: usual } = variable;
  const set = (value: Variable["default"]): void => {
    const { default: _, ...rest } = variable;
    onChange(value === undefined ? rest : { ...rest, default: value });
  };
  const value = usual === undefined ? "" : String(usual);
  const name = `Default of ${label}`;
  if (type === "boolean") {
    return (
      <select
        class="control"
        aria-label={name}
        value={value}
        onChange={({ currentTarget }) => set(readValue(type, currentTarget.value))}
      >
        <option value="">no default</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (type === "number") {
    const number = typeof usual === "number" ? usual : undefined;
    return (
      <NumberInput
        class="control"
        aria-label={name}
        placeholder="no default"
        step="any"
        value={number}
        onNumber={set}
      />
    );
  }
  return (
    <input
      class="control"
      aria-label={name}
      placeholder="no default"
      dir="auto"
      value={value}
      onInput={({ currentTarget }) => set(currentTarget.value === "" ? undefined : currentTarget.value)}
    />
  );
}

function withDescription({ description: _, ...rest }: Variable, description: string): Variable {
  return description === "" ? rest : { ...rest, description };
}
