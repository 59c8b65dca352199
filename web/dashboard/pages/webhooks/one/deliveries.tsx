import { useState } from "preact/hooks";
import { callPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { mayAct } from "../../../app/roles.ts";
import { useList } from "../../../app/use-list.ts";
import { hereWith, useQuery } from "../../../app/use-query.ts";
import { useShownAgain } from "../../../app/use-shown-again.ts";
import { Button } from "../../../ui/button.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { Failure } from "../../../ui/failure.tsx";
import { Code, Count, Delay, Foreign, Time } from "../../../ui/figures.tsx";
import { ChoiceFilter, Filters, TextFilter, TimeFilter } from "../../../ui/filters.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { LongTable } from "../../../ui/long-table.tsx";
import { Section } from "../../../ui/page.tsx";
import type { Column } from "../../../ui/table.tsx";
import { answerText, type Delivery, type Webhook } from "../states.ts";
import { DeliveryDetails } from "./delivery-details.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { FILTERS, filtersOf } from "./filters.ts";
import { ReplayAllDialog } from "./replay-dialog.tsx";
import "./webhook.css";

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** What was sent to a webhook, and how it answered. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { query, change } = useQuery();
  const filters = filtersOf(query);
  const key = JSON.stringify(filters);
  const { id } = webhook;
  const { list, reload, isStale } = useList(
    `deliveries of ${id} ${key}`,
    (page, signal) => api.get("/webhooks/{id}/deliveries", { path: { id }, query: { ...filters, ...page }, signal }),
    // A delivery is made with its event; how it ends is seen by the next look.
    { on: webhook.eventTypes },
  );
  useShownAgain(reload);
  const [isReplaying, setReplaying] = useState(false);
  const [note, setNote] = useState("");
  const isFiltered = key !== "{}";
  return (
    <Section
      title="Deliveries"
      actions={
        <>
          <Button onClick={reload}>{isStale ? "Show newer deliveries" : "Load again"}</Button>
          {mayAct("editor") && webhook.enabled && (
            <Button onClick={() => setReplaying(true)}>
              {filters.status === "delivered" ? "Send the delivered again" : "Send the failed again"}
            </Button>
          )}
        </>
      }
    >
      <p class="soft" role="status">
        {note}
      </p>
      {query.delivery !== undefined && (
        <DeliveryDetails
          key={query.delivery}
          webhook={webhook}
          id={query.delivery}
          onClose={() => change({ delivery: undefined })}
          onDone={reload}
        />
      )}
      <Filters names={FILTERS}>
        <ChoiceFilter name="status" label="State" choices={choices(["pending", "delivered", "failed"])} />
        <ChoiceFilter name="eventType" label="Event" choices={choices(webhook.eventTypes)} />
        <TextFilter name="callId" label="Call" hint="call_…" />
        <TimeFilter name="createdAfter" label="Events from" />
        <TimeFilter name="createdBefore" label="Events before" />
      </Filters>
      {!list.isReady && list.error === undefined && <Loading what="the deliveries" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && !list.hasMore && <NoDelivery isFiltered={isFiltered} />}
      {list.isReady && (list.count > 0 || list.hasMore) && (
        <LongTable label="Deliveries" columns={COLUMNS} source={list} keyOf={(delivery) => delivery.id} />
      )}
      {isReplaying && (
        <ReplayAllDialog
          webhook={webhook}
          filters={filters}
          onClose={() => setReplaying(false)}
          onDone={(count) => {
            setNote(count === 1 ? "One delivery is sent again." : `${count} deliveries are sent again.`);
            reload();
          }}
        />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    name: "createdAt",
    title: "Event at",
    width: 176,
    cell: ({ id, createdAt }) => (
      <a href={hereWith({ delivery: id })}>
        <Time at={createdAt} />
      </a>
    ),
  },
  { name: "event", title: "Event", width: 208, cell: ({ eventType }) => <Code>{eventType}</Code> },
  { name: "status", title: "State", width: 136, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { name: "attempts", title: "Attempts", width: 80, isFigure: true, cell: ({ attempts }) => <Count of={attempts} /> },
  {
    name: "answer",
    title: "Answer",
    width: 96,
    isFigure: true,
    cell: ({ answer }) => <Foreign text={answerText(answer)} />,
  },
  { name: "took", title: "Took", width: 88, isFigure: true, cell: ({ answer }) => <Delay ms={answer?.tookMs} /> },
  { name: "last", title: "Last attempt", width: 168, cell: ({ lastAttemptAt }) => <Time at={lastAttemptAt} /> },
  { name: "next", title: "Next attempt", width: 168, cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
  {
    name: "call",
    title: "Call",
    width: 320,
    cell: ({ callId }) => (callId === null ? <Foreign text={null} /> : <a href={callPage(callId)}>{callId}</a>),
  },
];

const NoDelivery = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No delivery matches all of these filters." />
  ) : (
    <Empty title="Nothing was sent yet.">
      <p>A delivery appears here when the next of the events happens. It is listed for 30 days.</p>
    </Empty>
  );
