import type { ComponentProps } from "preact";
import { Field, type FieldProps } from "./field.tsx";
import type { Choice } from "./filters.tsx";

interface Given<Value> extends Omit<FieldProps, "children"> {
  value: Value;
  onChange: (value: Value) => void;
}

type TextFieldProps = Given<string> &
  Pick<ComponentProps<"input">, "type" | "required" | "autocomplete" | "inputMode" | "placeholder">;

/** A line of text in a form. */
export const TextField = ({ label, hint, problem, value, onChange, type = "text", ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} problem={problem}>
    {(control) => (
      <input
        autocomplete="off"
        spellcheck={false}
        {...rest}
        {...control}
        type={type}
        dir={type === "text" ? "auto" : undefined}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** A text of several lines in a form. */
export const AreaField = ({ label, hint, problem, value, onChange, rows = 3 }: Given<string> & { rows?: number }) => (
  <Field label={label} hint={hint} problem={problem}>
    {(control) => (
      <textarea
        {...control}
        rows={rows}
        dir="auto"
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** One of a few values in a form. */
export const SelectField = ({
  label,
  hint,
  problem,
  value,
  onChange,
  choices,
}: Given<string> & { choices: readonly Choice[] }) => (
  <Field label={label} hint={hint} problem={problem}>
    {(control) => (
      <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(({ value: one, label: text }) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);
