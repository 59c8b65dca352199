import { Field, type FieldProps } from "./field.tsx";
import type { Choice } from "./filters.tsx";

interface Given<Value> extends Omit<FieldProps, "children"> {
  value: Value;
  onChange: (value: Value) => void;
}

interface TextFieldProps extends Given<string> {
  type?: "text" | "password" | "email" | "tel" | "datetime-local";
  required?: boolean;
  autocomplete?: "current-password" | "new-password";
  inputMode?: "numeric" | "decimal" | "url";
  /** Said in an empty field: what no value means. */
  placeholder?: string;
}

/** A line of text in a form. */
export const TextField = ({ label, hint, problem, value, onChange, type = "text", ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} problem={problem}>
    {(control) => (
      <input
        {...control}
        // The types of Preact want one kind of input.
        type={type as "text"}
        required={rest.required ?? false}
        autocomplete={rest.autocomplete ?? "off"}
        inputMode={rest.inputMode}
        placeholder={rest.placeholder}
        spellcheck={false}
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
