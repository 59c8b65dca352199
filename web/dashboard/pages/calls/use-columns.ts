import { useState } from "preact/hooks";
import { readStored, writeStored } from "../../app/stored.ts";
import type { CallColumn } from "./columns.tsx";

const STORED_AS = "trunkline.calls.columns";

/** Which columns this browser shows, and what changes it. The first column stays: it leads to the call. */
export function useColumns(all: readonly CallColumn[]): {
  shown: readonly CallColumn[];
  toggle: (name: string) => void;
} {
  const [names, setNames] = useState(
    () => storedNames() ?? all.filter(({ isDefault }) => isDefault).map(({ name }) => name),
  );
  const toggle = (name: string): void => {
    const next = names.includes(name) ? names.filter((one) => one !== name) : [...names, name];
    setNames(next);
    writeStored(STORED_AS, JSON.stringify(next));
  };
  return { shown: all.filter(({ name }, at) => at === 0 || names.includes(name)), toggle };
}

function storedNames(): readonly string[] | undefined {
  try {
    const stored: unknown = JSON.parse(readStored(STORED_AS) ?? "null");
    return Array.isArray(stored) ? stored.map(String) : undefined;
  } catch {
    return undefined;
  }
}
