import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Field } from "./field.tsx";
import "./file-drop.css";

export interface FileDropProps {
  label: string;
  hint?: ComponentChildren;
  problem?: string | undefined;
  /** Several at once. */
  isMultiple?: boolean;
  /** What the browser offers: of types and ends of names, as in `accept` of HTML. */
  accept?: string;
  onFiles: (files: readonly File[]) => void;
}

/** Takes files: chosen, or dropped on it. */
export function FileDrop({ label, hint, problem, isMultiple = false, accept, onFiles }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const give = (files: FileList | null | undefined): void => {
    if (files != null && files.length > 0) onFiles(isMultiple ? [...files] : [...files].slice(0, 1));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the pointer alone; the field within takes files by keyboard.
    <div
      class={`file-drop${isOver ? " file-drop-over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        give(event.dataTransfer?.files);
      }}
    >
      <Field label={label} hint={hint} problem={problem}>
        {(control) => (
          <input
            {...control}
            class="file-drop-input"
            type="file"
            multiple={isMultiple}
            accept={accept}
            onChange={({ currentTarget }) => {
              give(currentTarget.files);
              // The same file can be chosen again.
              if (isMultiple) currentTarget.value = "";
            }}
          />
        )}
      </Field>
    </div>
  );
}
