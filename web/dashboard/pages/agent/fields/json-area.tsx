import { useState } from "preact/hooks";
import type { FieldControl } from "../../../ui/field.tsx";
import { isSame } from "../model/definition.ts";
import { TextArea } from "./text-area.tsx";

type JsonObject = Record<string, unknown>;

interface JsonAreaProps {
  control: FieldControl;
  value: JsonObject | undefined;
  onChange: (value: JsonObject | undefined) => void;
}

/** A JSON object as a text. What is none is said, and does not count. */
export function JsonArea({ control, value, onChange }: JsonAreaProps) {
  const [text, setText] = useState(() => textOf(value));
  const read = objectIn(text);
  // The value was changed elsewhere, as by another version: the text of before does not stand for it.
  const isOwn = read === "none" || isSame(read, value);
  const shown = isOwn ? text : textOf(value);
  return (
    <>
      <TextArea
        control={control}
        rows={4}
        isCode
        value={shown}
        onInput={(next) => {
          setText(next);
          const object = objectIn(next);
          if (object !== "none") onChange(object);
        }}
      />
      <p class="field-problem" role="status">
        {isOwn && read === "none" ? "This is no JSON object yet: the one before counts." : ""}
      </p>
    </>
  );
}

const textOf = (value: JsonObject | undefined): string => (value === undefined ? "" : JSON.stringify(value, null, 2));

/** Undefined for an empty text; `none` for what is no JSON object. */
function objectIn(text: string): JsonObject | undefined | "none" {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : "none";
  } catch {
    return "none";
  }
}
