import type { FieldControl } from "../../../ui/field.tsx";

interface TextAreaProps {
  control: FieldControl;
  /** The fewest lines; it grows with its text. */
  rows: number;
  value: string;
  isCode?: boolean;
  onInput: (value: string) => void;
}

/** As --height-line, and the space around the lines. */
const LINE_EM = 1.45;
const PADDING_EM = 1.3;

/** A text of several lines, as high as the text. */
export const TextArea = ({ control, rows, value, isCode = false, onInput }: TextAreaProps) => (
  <textarea
    {...control}
    class={`control text-area${isCode ? " text-area-code" : ""}`}
    dir={isCode ? "ltr" : "auto"}
    // As high as its text, and no less than these lines.
    style={{ minHeight: `${rows * LINE_EM + PADDING_EM}em` }}
    rows={rows}
    spellcheck={!isCode}
    value={value}
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
  />
);
