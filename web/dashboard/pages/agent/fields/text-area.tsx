import type { FieldControl } from "../../../ui/field.tsx";

interface TextAreaProps {
  control: FieldControl;
  /** The fewest lines; it grows with its text. */
  rows: number;
  value: string;
  isCode?: boolean;
  onInput: (value: string) => void;
}

/** A text of several lines, as high as the text. */
export const TextArea = ({ control, rows, value, isCode = false, onInput }: TextAreaProps) => (
  <textarea
    {...control}
    class={`control text-area${isCode ? " text-area-code" : ""}`}
    dir={isCode ? "ltr" : "auto"}
    rows={rows}
    spellcheck={!isCode}
    value={value}
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
  />
);
