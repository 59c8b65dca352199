import { useMemo } from "preact/hooks";
import { API_REFERENCE, TALK } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { useAgentNames } from "../../app/use-agent-names.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Export } from "../../ui/export.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import { Menu, MenuButton, MenuToggle } from "../../ui/menu.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { CallFilterLine } from "./call-filters.tsx";
import { callColumns } from "./columns.tsx";
import { callFiltersOf } from "./filters.ts";
import { useColumns } from "./use-columns.ts";

/** After these the list has other calls, or one in another state. */
const EVENTS = ["call.created", "call.ended", "call.expired"];

/** All calls of the account, by every filter of the API. */
export function Page() {
  const { query } = useQuery();
  const agents = useAgentNames();
  const columns = useMemo(() => callColumns(agents), [agents]);
  const { shown, toggle } = useColumns(columns);
  const filters = callFiltersOf(query);
  const key = JSON.stringify(filters);
  const { list, reload, isStale } = useList(
    key,
    (page, signal) => api.get("/calls", { query: { ...filters, ...page }, signal }),
    { on: EVENTS },
  );
  return (
    <Frame
      title="Calls"
      actions={
        <>
          <Menu button={<MenuButton>Columns</MenuButton>}>
            {columns.slice(1).map(({ name, title }) => (
              <MenuToggle key={name} isOn={shown.some((column) => column.name === name)} onToggle={() => toggle(name)}>
                {title}
              </MenuToggle>
            ))}
          </Menu>
          {isStale && <Button onClick={reload}>Show newer calls</Button>}
          <Export
            name="calls"
            what="calls"
            list={(signal) => api.list("/calls", { query: { ...filters, limit: 100 }, signal })}
            columns={shown}
          />
        </>
      }
    >
      <CallFilterLine agents={agents} />
      {!list.isReady && list.error === undefined && <Loading what="the calls" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && !list.hasMore && <NoCall isFiltered={key !== "{}"} />}
      {list.isReady && (list.count > 0 || list.hasMore) && (
        <LongTable label="Calls" columns={shown} source={list} keyOf={({ id }) => id} />
      )}
    </Frame>
  );
}

const NoCall = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No call matches all of these filters." />
  ) : (
    <Empty title="There is no call yet.">
      <p>
        To make the first one, <a href={TALK}>talk to an agent in this browser</a>, or create it with the API:{" "}
        <a href={API_REFERENCE}>POST /calls</a>.
      </p>
    </Empty>
  );
