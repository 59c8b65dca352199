import type { Schema } from "../../../client/src/index.ts";
import { Time } from "../../ui/figures.tsx";
import type { Column } from "../../ui/table.tsx";

export const COLUMNS: readonly Column<Schema<"CallSummary">>[] = [
  { name: "created", title: "Created", isFigure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "id", title: "Call", width: 320, cell: ({ id }) => <a href={`/dashboard/calls/${id}`}>{id}</a> },
];
