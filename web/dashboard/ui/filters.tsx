import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isoTimeOf, localTimeOf } from "../app/form-values.ts";
import { useQuery } from "../app/use-query.ts";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";
import "./filters.css";

/** The filters of a list, in one line that wraps. `names` are those that "Clear" removes from the address. */
export function Filters({ names, children }: { names: readonly string[]; children: ComponentChildren }) {
  const { query, change } = useQuery();
  const isAnySet = names.some((name) => query[name] !== undefined);
  return (
    <search class="filters" aria-label="Filters">
      {children}
      {isAnySet && (
        <Button onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

export interface Choice {
  value: string;
  label: string;
}

/** A filter with a few values; `name` is what it is called in the address. */
export function ChoiceFilter({ name, label, choices }: { name: string; label: string; choices: readonly Choice[] }) {
  const { query, change } = useQuery();
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={query[name] ?? ""}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        >
          <option value="">Any</option>
          {choices.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A filter by a text: it counts when the person presses Enter or leaves it, because each change asks the service. */
export function TextFilter({ name, label, hint }: { name: string; label: string; hint?: string }) {
  const { query, change } = useQuery();
  const given = query[name] ?? "";
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  const apply = (): void => {
    if (text.trim() !== given) change({ [name]: text.trim() });
  };
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          value={text}
          placeholder={hint}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={apply}
          onKeyDown={(event) => {
            if (event.key === "Enter") apply();
          }}
        />
      )}
    </Field>
  );
}

/** A filter by a time, which the address has in UTC and the viewer gives in their own zone. */
export function TimeFilter({ name, label }: { name: string; label: string }) {
  const { query, change } = useQuery();
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          value={localTimeOf(query[name])}
          onChange={({ currentTarget: { value } }) => change({ [name]: isoTimeOf(value) ?? undefined })}
        />
      )}
    </Field>
  );
}
