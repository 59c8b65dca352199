import { useRoute } from "preact-iso";
import { TrunklineApiError } from "../../../client/src/index.ts";
import { AGENTS } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useResource } from "../../app/use-resource.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { loadAgent } from "./load.ts";
import { AgentView } from "./view/agent-view.tsx";
import { NewAgentView } from "./view/new-agent-view.tsx";

const PARENT = { title: "Agents", href: AGENTS };
/** In the address of the page that makes one. */
const NEW = "new";

/** One agent: what it is, its versions, where it is used, and a call to try it. */
export function Page() {
  const { id = "" } = useRoute().params;
  if (id !== NEW) return <Existing key={id} id={id} />;
  return mayAct("editor") ? (
    <NewAgentView />
  ) : (
    <Frame title="New agent" parent={PARENT}>
      <Empty title="An editor or an owner of the account makes agents." />
    </Frame>
  );
}

function Existing({ id }: { id: string }) {
  const agent = useResource(`agent ${id}`, (signal) => loadAgent(api, id, signal));
  if (agent.status === "ready") return <AgentView loaded={agent.value} />;
  return (
    <Frame title="Agent" parent={PARENT}>
      {agent.status === "loading" && <Loading what="the agent" />}
      {agent.status === "failed" &&
        (agent.error instanceof TrunklineApiError && agent.error.status === 404 ? (
          <Empty title="There is no such agent.">
            <p>
              It was deleted, or the address is of another account. <a href={AGENTS}>All agents</a>
            </p>
          </Empty>
        ) : (
          <Failure error={agent.error} onRetry={agent.reload} />
        ))}
    </Frame>
  );
}
