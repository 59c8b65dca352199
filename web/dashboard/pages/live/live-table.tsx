import { Time } from "../../ui/figures.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { Call } from "./load.ts";

const COLUMNS: readonly Column<Call>[] = [
  { name: "call", title: "Call", cell: ({ id }) => <a href={`/dashboard/calls/${id}`}>{id}</a> },
  { name: "status", title: "State", cell: ({ status }) => status },
  { name: "created", title: "Created", isFigure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export const LiveTable = ({ calls }: { calls: readonly Call[] }) => (
  <Table label="Live calls" columns={COLUMNS} rows={calls} keyOf={({ id }) => id} />
);
