import { useEffect, useRef, useState } from "preact/hooks";
import { collect, EXPORTED_MAX } from "../app/collect.ts";
import { csvOf } from "../app/csv.ts";
import { numberText } from "../app/format.ts";
import { saveFile } from "../app/save-file.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./failure.tsx";
import { Menu, MenuButton, MenuChoice } from "./menu.tsx";

type Format = "csv" | "json";

const TYPES: Readonly<Record<Format, string>> = { csv: "text/csv", json: "application/json" };

/** A column of a table, as an export has it. */
export interface ExportedColumn<Item> {
  name: string;
  exported: (item: Item) => string | number | null | undefined;
}

export interface ExportProps<Item> {
  /** The name of the file, without its ending. */
  name: string;
  /** What the items are, such as `calls`. */
  what: string;
  /** All that match the filters, the newest first. */
  list: (signal: AbortSignal) => AsyncIterable<Item>;
  columns: readonly ExportedColumn<Item>[];
}

/** Writes what matches the filters of a list to a file: the shown columns as CSV, or the records as JSON. */
export function Export<Item>({ name, what, list, columns }: ExportProps<Item>) {
  const [loaded, setLoaded] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [isCut, setCut] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = async (format: Format): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setCut(false);
    try {
      const collected = await collect(list(controller.signal), setLoaded);
      if (controller.signal.aborted) return;
      saveFile(`${name}.${format}`, TYPES[format], textOf(format, collected.items, columns));
      setCut(collected.isCut);
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    } finally {
      setLoaded(undefined);
    }
  };

  if (loaded !== undefined) {
    return (
      <>
        <span role="status" class="soft">
          {numberText(loaded)} {what} read
        </span>
        <Button onClick={() => running.current?.abort()}>Cancel the export</Button>
      </>
    );
  }
  return (
    <>
      <ErrorNote error={error} />
      <span role="status" class={isCut ? "soft" : "hidden"}>
        {isCut &&
          `The file has the newest ${numberText(EXPORTED_MAX)} ${what}: more match. Filter by time for the others.`}
      </span>
      <Menu button={<MenuButton>Export</MenuButton>}>
        <MenuChoice onChoose={() => void run("csv")}>The shown columns as CSV</MenuChoice>
        <MenuChoice onChoose={() => void run("json")}>The records as JSON</MenuChoice>
      </Menu>
    </>
  );
}

function textOf<Item>(format: Format, items: readonly Item[], columns: readonly ExportedColumn<Item>[]): string {
  if (format === "json") return JSON.stringify(items, undefined, 2);
  return csvOf([
    columns.map(({ name }) => name),
    ...items.map((item) => columns.map(({ exported }) => exported(item))),
  ]);
}
