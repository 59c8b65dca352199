import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { changed } from "../../app/changed.ts";
import { problemOf, problemsOf } from "../../app/errors.ts";
import { CheckGroup } from "../../ui/checks.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Foreign } from "../../ui/figures.tsx";
import { SelectField, TextField } from "../../ui/inputs.tsx";
import { type ApiKey, type ApiKeyForm, apiKeyBodyOf, apiKeyFormOf, type MadeApiKey, NEW_API_KEY } from "./forms.ts";
import { SCOPE_CHOICES } from "./scopes.ts";

interface Props {
  onClose: () => void;
  onDone: () => void;
  onMade: (made: MadeApiKey) => void;
}

/** Creates an API key, or changes one. */
export function ApiKeyDialog({ apiKey, onClose, onDone, onMade }: Props & { apiKey?: ApiKey }) {
  const [before] = useState<ApiKeyForm>(apiKey === undefined ? NEW_API_KEY : apiKeyFormOf(apiKey));
  const [form, setForm] = useState(before);
  const save = async (): Promise<void> => {
    const body = apiKeyBodyOf(form);
    if (apiKey === undefined) onMade(await api.post("/api-keys", { body }));
    else await api.patch("/api-keys/{id}", { path: { id: apiKey.id }, body: changed(apiKeyBodyOf(before), body) });
    onDone();
  };
  return (
    <ConfirmDialog
      title={apiKey === undefined ? "Create an API key" : "Change the API key"}
      action={apiKey === undefined ? "Create" : "Save"}
      onClose={onClose}
      onConfirm={save}
    >
      {(error) => (
        <>
          <TextField
            label="Name"
            hint="The program that uses it."
            required
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            problem={problemOf(error, "name")}
          />
          <CheckGroup
            legend="Scopes"
            choices={SCOPE_CHOICES}
            chosen={form.scopes}
            onChange={(scopes) => setForm({ ...form, scopes })}
            problem={problemsOf(error, "scopes")}
          />
          <TextField
            label="Expires"
            hint="Empty: never."
            type="datetime-local"
            value={form.expires}
            onChange={(expires) => setForm({ ...form, expires })}
            problem={problemOf(error, "expiresAt")}
          />
        </>
      )}
    </ConfirmDialog>
  );
}

const OVERLAPS = [
  { value: "86400", label: "a day" },
  { value: "3600", label: "an hour" },
  { value: "604800", label: "a week" },
  { value: "0", label: "not at all" },
];

export function RotateApiKeyDialog({ apiKey, onClose, onDone, onMade }: Props & { apiKey: ApiKey }) {
  const [overlap, setOverlap] = useState("86400");
  return (
    <ConfirmDialog
      title="Rotate the API key?"
      action="Rotate"
      onClose={onClose}
      onConfirm={async () => {
        const body = { overlapSeconds: Number(overlap) };
        onMade(await api.post("/api-keys/{id}/rotate", { path: { id: apiKey.id }, body }));
        onDone();
      }}
    >
      {(error) => (
        <>
          <p>
            <Foreign text={apiKey.name} /> gets another text. Give it to the program while the present one still works.
          </p>
          <SelectField
            label="The present text works for"
            value={overlap}
            onChange={setOverlap}
            choices={OVERLAPS}
            problem={problemOf(error, "overlapSeconds")}
          />
          {apiKey.previousWorksUntil !== null && (
            <p>It was rotated already: the text before the present one ends at once.</p>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

export const RevokeApiKeyDialog = ({ apiKey, onClose, onDone }: Props & { apiKey: ApiKey }) => (
  <ConfirmDialog
    title="Revoke the API key?"
    action="Revoke"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await api.post("/api-keys/{id}/revoke", { path: { id: apiKey.id } });
      onDone();
    }}
  >
    <p>
      Requests with <Foreign text={apiKey.name} /> are refused from now on, and it cannot be taken back. Calls that it
      has created go on.
    </p>
  </ConfirmDialog>
);
