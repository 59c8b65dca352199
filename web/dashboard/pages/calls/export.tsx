import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { numberText } from "../../app/format.ts";
import { saveFile } from "../../app/save-file.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/failure.tsx";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import { CALLS_MAX, collect } from "./collect.ts";
import type { Call, CallColumn } from "./columns.tsx";
import { csvOf } from "./csv.ts";
import type { CallFilters } from "./filters.ts";

type Format = "csv" | "json";

const TYPES: Readonly<Record<Format, string>> = { csv: "text/csv", json: "application/json" };

/** Writes the calls that match the filters to a file: the shown columns as CSV, or the records as JSON. */
export function Export({ filters, columns }: { filters: CallFilters; columns: readonly CallColumn[] }) {
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
      const list = api.list("/calls", { query: { ...filters, limit: 100 }, signal: controller.signal });
      const calls = await collect(list, setLoaded);
      if (controller.signal.aborted) return;
      saveFile(`calls.${format}`, TYPES[format], textOf(format, calls.items, columns));
      setCut(calls.isCut);
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
          {numberText(loaded)} calls read
        </span>
        <Button onClick={() => running.current?.abort()}>Cancel the export</Button>
      </>
    );
  }
  return (
    <>
      <ErrorNote error={error} />
      <span role="status" class={isCut ? "soft" : "hidden"}>
        {isCut && `The file has the newest ${numberText(CALLS_MAX)} calls: more match. Filter by time for the others.`}
      </span>
      <Menu button={<MenuButton>Export</MenuButton>}>
        <MenuChoice onChoose={() => void run("csv")}>The shown columns as CSV</MenuChoice>
        <MenuChoice onChoose={() => void run("json")}>The records as JSON</MenuChoice>
      </Menu>
    </>
  );
}

const textOf = (format: Format, calls: readonly Call[], columns: readonly CallColumn[]): string =>
  format === "csv" ? csvOf(tableOf(calls, columns)) : JSON.stringify(calls, undefined, 2);

const tableOf = (calls: readonly Call[], columns: readonly CallColumn[]) => [
  columns.map(({ name }) => name),
  ...calls.map((call) => columns.map(({ exported }) => exported(call))),
];
