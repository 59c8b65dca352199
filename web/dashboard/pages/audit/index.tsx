import { useMemo } from "preact/hooks";
import { api } from "../../app/api.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Export } from "../../ui/export.tsx";
import { Failure } from "../../ui/failure.tsx";
import { ChoiceFilter, Filters, TextFilter, TimeFilter } from "../../ui/filters.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { ACTOR_CHOICES, type AuditEvent, actionsOn, TARGET_KINDS } from "./choices.ts";
import { auditColumns } from "./columns.tsx";
import { EventDialog } from "./event-dialog.tsx";
import { auditFiltersOf, FILTERS } from "./filters.ts";
import { actionText, kindText } from "./texts.ts";
import { useActorNames } from "./use-actor-names.ts";

/** Who did what in the account. */
export function Page() {
  const { query, change } = useQuery();
  const names = useActorNames();
  const filters = auditFiltersOf(query);
  const key = JSON.stringify(filters);
  const { list, reload } = useList(key, (page, signal) =>
    api.get("/audit-events", { query: { ...filters, ...page }, signal }),
  );
  useShownAgain(() => {
    if (list.isAtStart) reload();
  });
  const columns = useMemo(() => auditColumns(names), [names]);
  const opened = query.event;
  return (
    <Frame
      title="Audit log"
      actions={
        <>
          <Button onClick={reload}>Reload</Button>
          <Export
            name="audit-log"
            what="events"
            list={(signal) => api.list("/audit-events", { query: { ...filters, limit: 100 }, signal })}
            columns={columns}
          />
        </>
      }
    >
      <AuditFilterLine targetKind={query.targetKind} />
      {!list.isReady && list.error === undefined && <Loading what="the audit log" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && !list.hasMore && <NoEvent isFiltered={key !== "{}"} />}
      {list.isReady && (list.count > 0 || list.hasMore) && (
        <LongTable label="Audit log" columns={columns} source={list} keyOf={({ id }) => id} />
      )}
      {opened !== undefined && (
        <EventDialog
          key={opened}
          id={opened}
          known={loadedEvent(list, opened)}
          names={names}
          onClose={() => change({ event: undefined })}
        />
      )}
    </Frame>
  );
}

/** All filters of `GET /audit-events`. */
const AuditFilterLine = ({ targetKind }: { targetKind: string | undefined }) => (
  <Filters names={FILTERS}>
    <ChoiceFilter
      name="targetKind"
      label="On"
      choices={TARGET_KINDS.map((value) => ({ value, label: kindText(value) }))}
    />
    <ChoiceFilter
      name="action"
      label="Action"
      choices={actionsOn(targetKind).map((value) => ({ value, label: actionText(value) }))}
    />
    <ChoiceFilter name="actorKind" label="Who" choices={ACTOR_CHOICES} />
    <TextFilter name="actorId" label="Id of the actor" hint="user_…" />
    <TextFilter name="targetId" label="Id of the thing" hint="agent_…" />
    <TimeFilter name="createdAfter" label="From" />
    <TimeFilter name="createdBefore" label="Before" />
  </Filters>
);

const NoEvent = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No event matches all of these filters." />
  ) : (
    <Empty title="Nothing was recorded yet.">
      <p>Whatever people, API keys and commands change in the account appears here, and stays.</p>
    </Empty>
  );

function loadedEvent(
  list: { readonly count: number; item(index: number): AuditEvent | undefined },
  id: string,
): AuditEvent | undefined {
  for (let index = 0; index < list.count; index += 1) {
    const event = list.item(index);
    if (event?.id === id) return event;
  }
  return undefined;
}
