import { useCallback, useState } from "preact/hooks";
import { TrunklineApiError } from "../../../../client/src/index.ts";
import { api } from "../../../app/api.ts";
import { loadAgent, type SavedAgent } from "../load.ts";
import { changesOf, type Definition, definitionOf } from "../model/definition.ts";
import { takeKeptChanges, useKeptChanges } from "./kept-changes.ts";

/** An agent that is saved, and the changes to it that are not. */
export interface AgentEditing {
  saved: SavedAgent;
  edited: Definition;
  isDirty: boolean;
  /** Why the latest try to save failed. */
  error: unknown;
  busy: "save" | "publish" | undefined;
  /** What another person has made of the agent since it was loaded, where that kept a change from being saved. */
  theirs: SavedAgent | undefined;
  change: (changes: Partial<Definition>) => void;
  /** Goes on from a saved state, with these changes to it; without any by default. */
  begin: (saved: SavedAgent, definition?: Definition) => void;
  save: (autoPublish: boolean) => Promise<void>;
  /** Reads the agent anew; what was not saved is lost. */
  reload: () => Promise<void>;
}

type KeptChanges = Pick<AgentEditing, "saved" | "edited">;

const CHANGED_MEANWHILE = "precondition_failed";

export function useAgentEditing(loaded: SavedAgent): AgentEditing {
  const { id } = loaded.agent;
  const [start] = useState(() => takeKeptChanges<KeptChanges>(id) ?? { saved: loaded, edited: loaded.definition });
  const [saved, setSaved] = useState(start.saved);
  const [edited, setEdited] = useState(start.edited);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<"save" | "publish">();
  const [theirs, setTheirs] = useState<SavedAgent>();
  const changes = changesOf(saved.definition, edited);
  const isDirty = Object.keys(changes).length > 0;
  useKeptChanges<KeptChanges>(id, isDirty ? { saved, edited } : undefined);

  const begin = (next: SavedAgent, definition = next.definition): void => {
    setSaved(next);
    setEdited(definition);
    setTheirs(undefined);
    setError(undefined);
  };
  const save = async (autoPublish: boolean): Promise<void> => {
    setBusy(autoPublish ? "publish" : "save");
    setError(undefined);
    try {
      const body = { ...changes, autoPublish };
      const { etag } = saved;
      const answer = await api.request("patch", "/agents/{id}", { path: { id }, headers: { "If-Match": etag }, body });
      const agent = answer.body;
      // With a draft the answer has the fields of the live version.
      if (agent.draftVersion !== null) begin(await loadAgent(api, id));
      else {
        const next = { agent, definition: definitionOf(agent), version: agent.version };
        begin({ ...next, etag: answer.headers.get("etag") ?? "" });
      }
    } catch (failure) {
      const isMeanwhile = failure instanceof TrunklineApiError && failure.code === CHANGED_MEANWHILE;
      if (isMeanwhile) await loadAgent(api, id).then(setTheirs, setError);
      else setError(failure);
    }
    setBusy(undefined);
  };
  return {
    ...{ saved, edited, isDirty, error, busy, theirs, begin, save },
    change: useCallback((next) => setEdited((before) => ({ ...before, ...next })), []),
    reload: async () => begin(await loadAgent(api, id)),
  };
}
