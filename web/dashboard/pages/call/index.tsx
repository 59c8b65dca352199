import { useEffect, useMemo } from "preact/hooks";
import { useRoute } from "preact-iso";
import { TrunklineApiError } from "../../../client/src/index.ts";
import { CALLS } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { useResource } from "../../app/use-resource.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import type { Call } from "./model/types.ts";
import { CallData } from "./view/call-data.ts";
import { CallView } from "./view/call-view.tsx";

const PARENT = { title: "Calls", href: CALLS };
/** After these the call may be another one. */
const CHANGES = ["call.started", "call.ended", "call.expired", "recording.ready"];

/** One call: what was said and heard, and why. */
export function Page() {
  const { params } = useRoute();
  const id = (params.id ?? "") as Call["id"];
  const call = useResource(`call ${id}`, (signal) => api.get("/calls/{id}", { path: { id }, signal }), { on: CHANGES });
  // Beside the call: what was said is to be seen as soon as it is there.
  const data = useMemo(() => new CallData(id), [id]);
  useEffect(() => {
    data.open();
    return () => data.close();
  }, [data]);
  if (call.status === "loading") {
    return (
      <PageFrame title="Call" parent={PARENT}>
        <Loading what="the call" />
      </PageFrame>
    );
  }
  const { error } = call;
  if (isGone(error)) {
    const wasOpen = call.status === "ready";
    return (
      <PageFrame title="Call" parent={PARENT}>
        <div role="alert">
          <Empty title={wasOpen ? "This call was deleted." : "There is no such call."}>
            <p>
              {wasOpen ? "Its recording, transcript and events were deleted with it." : "It may have been deleted."}{" "}
              <a href={PARENT.href}>All calls</a>
            </p>
          </Empty>
        </div>
      </PageFrame>
    );
  }
  if (call.status === "failed") {
    return (
      <PageFrame title="Call" parent={PARENT}>
        <Failure error={error} onRetry={call.reload} />
      </PageFrame>
    );
  }
  return <CallView key={id} call={call.value} data={data} error={error} onStale={call.reload} parent={PARENT} />;
}

const isGone = (error: unknown): boolean => error instanceof TrunklineApiError && error.code === "not_found";
