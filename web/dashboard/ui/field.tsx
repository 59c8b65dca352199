import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";
import "./field.css";

/** What a control of a field must have. */
export interface FieldControl {
  id: string;
  class: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

export interface FieldProps {
  label: string;
  /** What the value is for, or what it must be. */
  hint?: ComponentChildren;
  /** What is wrong with the value; see `problemOf`. */
  problem?: string | undefined;
  children: (control: FieldControl) => VNode;
}

/** A control with its label, its hint and its problem. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const describedBy = [hint !== undefined && hintId, problem !== undefined && problemId].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        class: "control",
        "aria-describedby": describedBy === "" ? undefined : describedBy,
        "aria-invalid": problem === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p class="field-hint" id={hintId}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p class="field-problem" id={problemId}>
          {problem}
        </p>
      )}
    </div>
  );
}
