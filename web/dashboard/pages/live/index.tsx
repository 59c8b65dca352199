import { api } from "../../app/api.ts";
import { useResource } from "../../app/use-resource.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { LiveTable } from "./live-table.tsx";
import { LIVE_EVENTS, loadLiveCalls } from "./load.ts";

/** The calls that are not over. */
export function Page() {
  const calls = useResource("live", (signal) => loadLiveCalls(api, signal), { on: LIVE_EVENTS });
  return (
    <Frame title="Live">
      {calls.status === "loading" && <Loading what="the calls" />}
      {calls.status === "failed" && <Failure error={calls.error} onRetry={calls.reload} />}
      {calls.status === "ready" &&
        (calls.value.length === 0 ? (
          <Empty title="No call is live.">
            <p>
              A call appears here as soon as it is created. <a href="/talk">Talk to an agent in this browser</a>, or create a
              call with the API: <a href="/docs">POST /calls</a>.
            </p>
          </Empty>
        ) : (
          <LiveTable calls={calls.value} />
        ))}
    </Frame>
  );
}
