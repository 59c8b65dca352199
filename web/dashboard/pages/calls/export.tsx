import { useRef, useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { numberText } from "../../app/format.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/failure.tsx";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import type { Call, CallColumn } from "./columns.tsx";
import { csvOf } from "./csv.ts";
import type { CallFilters } from "./filters.ts";

/** An export has so many calls at most, because it is put together in the memory of the browser. */
const CALLS_MAX = 50_000;

type Format = "csv" | "json";

/** Writes the calls that match the filters to a file: the shown columns as CSV, or the records as JSON. */
export function Export({ filters, columns }: { filters: CallFilters; columns: readonly CallColumn[] }) {
  const [loaded, setLoaded] = useState<number>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController | undefined>(undefined);

  const run = async (format: Format): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    try {
      const calls = await collected(filters, controller.signal, setLoaded);
      save(`calls.${format}`, format === "csv" ? csvOf(tableOf(calls, columns)) : JSON.stringify(calls, undefined, 2));
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
      <Menu button={<MenuButton>Export</MenuButton>}>
        <MenuChoice onChoose={() => void run("csv")}>The shown columns as CSV</MenuChoice>
        <MenuChoice onChoose={() => void run("json")}>The records as JSON</MenuChoice>
      </Menu>
    </>
  );
}

async function collected(
  filters: CallFilters,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<readonly Call[]> {
  const calls: Call[] = [];
  onProgress(0);
  for await (const call of api.list("/calls", { query: { ...filters, limit: 100 }, signal })) {
    calls.push(call);
    if (calls.length % 100 === 0) onProgress(calls.length);
    if (calls.length === CALLS_MAX) break;
  }
  return calls;
}

const tableOf = (calls: readonly Call[], columns: readonly CallColumn[]) => [
  columns.map(({ name }) => name),
  ...calls.map((call) => columns.map(({ exported }) => exported(call))),
];

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
