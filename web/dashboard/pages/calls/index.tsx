import { api } from "../../app/api.ts";
import { useList } from "../../app/use-list.ts";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { LongTable } from "../../ui/table.tsx";
import { COLUMNS } from "./columns.tsx";

export function Page() {
  const { list } = useList("calls", (cursor, signal) => api.get("/calls", { query: { limit: 100, cursor }, signal }));
  return (
    <Frame title="Calls">
      {list.isReady || list.error !== undefined ? (
        <LongTable label="Calls" columns={COLUMNS} source={list} keyOf={({ id }) => id} />
      ) : (
        <Loading what="the calls" />
      )}
    </Frame>
  );
}
