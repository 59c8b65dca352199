import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./checks.css";

export interface CheckChoice<Value extends string> {
  value: Value;
  label: ComponentChildren;
  hint?: string;
}

export interface CheckGroupProps<Value extends string> {
  legend: string;
  hint?: string;
  problem?: string | undefined;
  choices: readonly CheckChoice<Value>[];
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
}

/** Any number of values of a list; they are chosen in the order of the list. */
export function CheckGroup<Value extends string>(props: CheckGroupProps<Value>) {
  const { legend, hint, problem, choices, chosen, onChange } = props;
  const id = useId();
  const toggle = (value: Value): void =>
    onChange(choices.map((choice) => choice.value).filter((one) => chosen.includes(one) !== (one === value)));
  return (
    <fieldset class="checks" aria-describedby={problem === undefined ? undefined : `${id}-problem`}>
      <legend>{legend}</legend>
      {hint !== undefined && <p class="field-hint">{hint}</p>}
      <div class="checks-list">
        {choices.map((choice) => (
          <Check
            key={choice.value}
            label={choice.label}
            hint={choice.hint}
            isOn={chosen.includes(choice.value)}
            onChange={() => toggle(choice.value)}
          />
        ))}
      </div>
      {problem !== undefined && (
        <p class="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}

export interface CheckProps {
  label: ComponentChildren;
  hint?: string | undefined;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** Something that is so or is not. */
export function Check({ label, hint, isOn, onChange }: CheckProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
