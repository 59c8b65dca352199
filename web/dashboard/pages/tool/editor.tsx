import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { TrunklineApiError } from "../../../client/src/index.ts";
import { toolPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { TOOL_TYPES, type ToolType } from "../../app/tool-words.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/failure.tsx";
import { ToolFields } from "./fields.tsx";
import { changesOf, emptyTool, type FormProblems, givenOf, newToolOf, type Tool } from "./form.ts";

const NONE: FormProblems = {};

/** The form of a tool that is not saved yet. */
export function NewToolForm({ type }: { type: ToolType }) {
  const { route } = useLocation();
  const [given, setGiven] = useState(emptyTool);
  const form = useForm(async () => {
    const checked = newToolOf(type, given);
    if ("problems" in checked) return checked.problems;
    const { id } = await api.post("/tools", { body: checked.body });
    route(toolPage(id));
    return NONE;
  });
  return (
    <form ref={form.element} class="tool-form" onSubmit={form.submit}>
      <p class="soft">{TOOL_TYPES[type].meaning}</p>
      <ErrorNote error={form.error} />
      <ToolFields
        {...{ type, given, problems: form.problems, error: form.error, storedHeaders: [] }}
        onChange={setGiven}
      />
      <div class="tool-actions">
        <Button kind="primary" type="submit" isBusy={form.isBusy}>
          Save the tool
        </Button>
      </div>
    </form>
  );
}

/** The form of a saved tool; `etag` is of the version that it shows. `onSaved`: there is another version. */
export function ToolForm({ tool, etag, onSaved }: { tool: Tool; etag: string; onSaved: () => void }) {
  const [given, setGiven] = useState(() => givenOf(tool));
  const [isSaved, setSaved] = useState(false);
  useEffect(() => setGiven(givenOf(tool)), [tool.version]);
  const checked = changesOf(tool, given);
  const isChanged = "problems" in checked || Object.keys(checked.body).length > 0;
  const form = useForm(async () => {
    if ("problems" in checked) return checked.problems;
    await api.patch("/tools/{id}", { path: { id: tool.id }, headers: { "If-Match": etag }, body: checked.body });
    setSaved(true);
    onSaved();
    return NONE;
  });
  const storedHeaders = tool.http?.headerNames ?? tool.mcp?.headerNames ?? [];
  return (
    <form ref={form.element} class="tool-form" onSubmit={form.submit}>
      <ErrorNote error={form.error} />
      {isStale(form.error) && (
        <div class="tool-actions">
          <Button onClick={onSaved}>Show the newer version, without these changes</Button>
        </div>
      )}
      <ToolFields
        {...{ type: tool.type, given, problems: form.problems, error: form.error, storedHeaders }}
        onChange={(next) => {
          setGiven(next);
          setSaved(false);
        }}
      />
      <div class="tool-actions">
        <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!isChanged}>
          Save changes
        </Button>
        <Button disabled={!isChanged} onClick={() => setGiven(givenOf(tool))}>
          Undo changes
        </Button>
        <span class="soft" role="status">
          {isSaved && !isChanged ? "Saved: calls that are created from now on have it so." : ""}
        </span>
      </div>
    </form>
  );
}

const isStale = (error: unknown): boolean => error instanceof TrunklineApiError && error.code === "precondition_failed";

interface FormState {
  element: RefObject<HTMLFormElement | null>;
  submit: (event: Event) => void;
  isBusy: boolean;
  error: unknown;
  problems: FormProblems;
}

/** `save` resolves with what is wrong before the service is asked. */
function useForm(save: () => Promise<FormProblems>): FormState {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [problems, setProblems] = useState(NONE);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === undefined && problems === NONE) return;
    const wrong = element.current?.querySelector<HTMLElement>("[aria-invalid]");
    if (wrong == null) element.current?.scrollIntoView();
    else wrong.focus();
  }, [error, problems]);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setProblems(NONE);
    try {
      setProblems(await save());
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return {
    element,
    submit: (event) => {
      event.preventDefault();
      void run();
    },
    isBusy,
    error,
    problems,
  };
}
