import type { ComponentChildren } from "preact";
import type { ListResource } from "../app/use-list.ts";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";
import { Loading } from "./loading.tsx";
import { type Column, Table } from "./table.tsx";

export interface ListTableProps<Row> {
  label: string;
  /** What is loaded, such as "the API keys". */
  what: string;
  resource: ListResource<Row>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** In place of a table without a row. */
  empty: ComponentChildren;
}

/** A list of the API whose rows wrap, a page at first and more by a button. For lists of any length there is `LongTable`. */
export function ListTable<Row>({ label, what, resource, columns, keyOf, empty }: ListTableProps<Row>) {
  const { list, reload } = resource;
  if (!list.isReady) {
    return list.error === undefined ? <Loading what={what} /> : <Failure error={list.error} onRetry={reload} />;
  }
  if (list.count === 0 && !list.hasMore) return <>{empty}</>;
  const rows = Array.from({ length: list.count }, (_, at) => list.item(at)).filter((row) => row !== undefined);
  return (
    <>
      <Table label={label} columns={columns} rows={rows} keyOf={keyOf} />
      {list.error !== undefined && <Failure error={list.error} onRetry={() => list.retry()} />}
      {list.hasMore && list.error === undefined && (
        <p>
          <Button onClick={() => list.show(0, list.count)}>Show more</Button>
        </p>
      )}
    </>
  );
}
