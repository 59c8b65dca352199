import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AGENTS, agentPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { LeaveGuard } from "../../../app/leave-guard.tsx";
import { useQuery } from "../../../app/use-query.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote, Failure } from "../../../ui/failure.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Page as Frame } from "../../../ui/page.tsx";
import { DefinitionForm } from "../fields/definition-form.tsx";
import { loadAgent } from "../load.ts";
import { type Definition, EMPTY_DEFINITION, isSame } from "../model/definition.ts";
import { TryPanel } from "../try/try-panel.tsx";
import { takeKeptChanges, useKeptChanges } from "./kept-changes.ts";
import "./agent-view.css";

const NEW = "new";
const PARENT = { title: "Agents", href: AGENTS };

/** Makes an agent: an empty one, or a copy of the one that the address names. */
export function NewAgentView() {
  const { from } = useQuery().query;
  const origin = useResource(`new agent ${from}`, (signal) => startOf(from, signal));
  if (origin.status === "ready") return <NewAgent key={from} start={origin.value} />;
  return (
    <Frame title="New agent" parent={PARENT}>
      {origin.status === "loading" && <Loading what="the languages" />}
      {origin.status === "failed" && <Failure error={origin.error} onRetry={origin.reload} />}
    </Frame>
  );
}

/** What the form begins with: the copied agent, or a language and a voice that there are. */
async function startOf(from: string | undefined, signal: AbortSignal): Promise<Definition> {
  if (from !== undefined) {
    const { definition } = await loadAgent(api, from, signal);
    return { ...definition, name: `Copy of ${definition.name}` };
  }
  const [{ data: languages }, { data: voices }] = await Promise.all([
    api.get("/languages", { signal }),
    api.get("/voices", { signal }),
  ]);
  const wanted = ["en-US", ...navigator.languages, "en"];
  const language = wanted.find((code) => languages.some((one) => one.code === code)) ?? languages[0]?.code ?? "";
  const voice = voices.find((one) => one.language === language);
  return { ...EMPTY_DEFINITION, languageId: language, voiceId: voice?.id ?? "" };
}

function NewAgent({ start }: { start: Definition }) {
  const [definition, setDefinition] = useState(() => takeKeptChanges<Definition>(NEW) ?? start);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { route } = useLocation();
  const isDirty = !isSame(start, definition);
  useKeptChanges(NEW, isDirty ? definition : undefined);
  const create = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { id } = await api.post("/agents", { body: definition });
      route(agentPage(id), true);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const change = (next: Partial<Definition>): void => setDefinition((before) => ({ ...before, ...next }));
  return (
    <Frame title="New agent" parent={PARENT}>
      <LeaveGuard isDirty={isDirty} lost="The new agent is not saved, and would be lost." />
      <div class="agent">
        <div class="agent-main">
          <DefinitionForm editing={{ definition, isReadOnly: false, error, change }} />
          <div class="agent-save" data-shown>
            <ErrorNote error={error} />
            <div class="agent-save-line">
              <p class="soft">Calls can be made with it once it is saved.</p>
              <Button kind="primary" isBusy={isBusy} onClick={() => void create()}>
                Save the agent
              </Button>
            </div>
          </div>
        </div>
        <TryPanel definition={definition} />
      </div>
    </Frame>
  );
}
