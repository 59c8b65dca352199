import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Field, type FieldProps } from "./field.tsx";
import "./copy-field.css";

export interface CopyFieldProps extends Pick<FieldProps, "label" | "hint"> {
  value: string;
  /** It has the focus when the dialog in which it is opens. */
  isFirst?: boolean;
}

/** A text to take elsewhere, such as an address or a key, with a button that copies it. */
export function CopyField({ label, hint, value, isFirst = false }: CopyFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!isFirst) return;
    // A dialog that made way for this one gives the focus back to the button that opened it, after this one has taken it.
    const frame = requestAnimationFrame(() => input.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, [isFirst]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setSaid("Copied.");
    } catch {
      // Browsers have the clipboard only where the page came by TLS or from this machine.
      input.current?.select();
      setSaid("Selected: copy it with the keyboard.");
    }
  };
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <div class="copy-field">
          <input
            {...control}
            ref={input}
            class="control copy-field-text"
            readOnly
            data-autofocus={isFirst || undefined}
            value={value}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button aria-label={`Copy: ${label}`} onClick={() => void copy()}>
            Copy
          </Button>
          <span class="copy-field-said" role="status">
            {said}
          </span>
        </div>
      )}
    </Field>
  );
}
