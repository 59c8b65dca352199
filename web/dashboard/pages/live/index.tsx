import { api } from "../../app/api.ts";
import { numberText } from "../../app/format.ts";
import { useResource } from "../../app/use-resource.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { LiveTable } from "./live-table.tsx";
import { type Call, LIVE_EVENTS, loadLiveCalls } from "./load.ts";

/** The calls that are not over. */
export function Page() {
  const calls = useResource("live", (signal) => loadLiveCalls(api, signal), { on: LIVE_EVENTS });
  return (
    <Frame title="Live">
      {calls.status === "loading" && <Loading what="the calls" />}
      {calls.status === "failed" && <Failure error={calls.error} onRetry={calls.reload} />}
      {calls.status === "ready" && (
        <>
          <ErrorNote error={calls.error} />
          <p class="soft" role="status">
            {summaryOf(calls.value)}
          </p>
          {calls.value.length === 0 ? <NoCall /> : <LiveTable calls={calls.value} onDone={calls.reload} />}
        </>
      )}
    </Frame>
  );
}

function summaryOf(calls: readonly Call[]): string {
  if (calls.length === 0) return "";
  const active = calls.filter(({ status }) => status === "active").length;
  return `${numberText(active)} in progress, ${numberText(calls.length - active)} not connected yet`;
}

const NoCall = () => (
  <Empty title="No call is live.">
    <p>
      A call appears here as soon as it is created. To make the first one,{" "}
      <a href="/talk">talk to an agent in this browser</a>, or create it with the API: <a href="/docs">POST /calls</a>.
    </p>
  </Empty>
);
