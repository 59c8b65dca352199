import { API_REFERENCE, CALLS, TALK } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { STATUS_CHOICES } from "../../app/call-states.ts";
import { useResource } from "../../app/use-resource.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { ListenPanel, useListening } from "../../ui/listen.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { LiveTable } from "./live-table.tsx";
import { CALLS_PER_STATUS, LIVE_EVENTS, type LiveCalls, loadLiveCalls, summaryOf } from "./load.ts";

/** The calls that are not over. */
export function Page() {
  const live = useResource("live", (signal) => loadLiveCalls(api, signal), { on: LIVE_EVENTS });
  const listening = useListening();
  return (
    <Frame title="Live">
      <ListenPanel control={listening} />
      {live.status === "loading" && <Loading what="the calls" />}
      {live.status === "failed" && <Failure error={live.error} onRetry={live.reload} />}
      {live.status === "ready" && (
        <>
          <ErrorNote error={live.error} />
          <p class="soft" role="status">
            {summaryOf(live.value)}
          </p>
          <More cut={live.value.cut} />
          {live.value.calls.length === 0 ? (
            <NoCall />
          ) : (
            <LiveTable calls={live.value.calls} onDone={live.reload} onListen={listening.start} />
          )}
        </>
      )}
    </Frame>
  );
}

/** Leads to the calls that this page does not show. */
const More = ({ cut }: { cut: LiveCalls["cut"] }) =>
  cut.length === 0 ? null : (
    <p>
      This page shows the newest {CALLS_PER_STATUS} of a state. All of them are in the list:{" "}
      {cut.map((status, at) => (
        <>
          {at > 0 && ", "}
          <a href={`${CALLS}?status=${status}`}>{STATUS_CHOICES.find(({ value }) => value === status)?.label}</a>
        </>
      ))}
      .
    </p>
  );

const NoCall = () => (
  <Empty title="No call is live.">
    <p>
      A call appears here as soon as it is created. To make the first one,{" "}
      <a href={TALK}>talk to an agent in this browser</a>, or create it with the API:{" "}
      <a href={API_REFERENCE}>POST /calls</a>.
    </p>
  </Empty>
);
