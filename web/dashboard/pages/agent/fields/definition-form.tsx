import type { ComponentChildren } from "preact";
import { Field } from "../../../ui/field.tsx";
import { LIMIT_SETTINGS, LLM_SETTINGS, OPENING_SETTINGS } from "../model/settings.ts";
import { undeclaredVariables } from "../model/texts.ts";
import { AnalysisFields } from "./analysis-fields.tsx";
import { CorpusFields } from "./corpus-fields.tsx";
import { changeSetting, type Editing, problemAt } from "./editing.ts";
import { LanguageAndVoice } from "./language-and-voice.tsx";
import { OverrideFields, StorageFields } from "./list-fields.tsx";
import { SettingFields } from "./setting-field.tsx";
import { TextArea } from "./text-area.tsx";
import { ToolFields } from "./tool-fields.tsx";
import { VariableFields } from "./variable-fields.tsx";
import "./definition-form.css";

/** All fields of a definition. */
export function DefinitionForm({ editing }: { editing: Editing }) {
  return (
    <fieldset class="definition" disabled={editing.isReadOnly}>
      <legend class="hidden">Definition</legend>
      <Group title="Agent">
        <NameField editing={editing} />
        <LanguageAndVoice editing={editing} />
      </Group>
      <Group
        title="Prompt"
        note="Three layers, which the service joins. Write {{name}} for what differs from call to call."
      >
        <PromptFields editing={editing} />
      </Group>
      <Group title="Variables" note="What calls fill in, in the prompt and in the greeting.">
        <VariableFields editing={editing} />
      </Group>
      <Group title="Opening">
        <GreetingField editing={editing} />
        <SettingFields editing={editing} settings={OPENING_SETTINGS} />
      </Group>
      <Group title="Tools" note="What the agent can do in a call.">
        <ToolFields editing={editing} />
      </Group>
      <Group title="Knowledge" note="The corpora from which the agent answers.">
        <CorpusFields editing={editing} />
      </Group>
      <Group title="LLM">
        <SettingFields editing={editing} settings={LLM_SETTINGS} />
      </Group>
      <Group title="Limits">
        <SettingFields editing={editing} settings={LIMIT_SETTINGS} />
      </Group>
      <Group title="Storage">
        <StorageFields editing={editing} />
      </Group>
      <Group title="After the call">
        <AnalysisFields editing={editing} />
      </Group>
      <Group title="Overrides" note="What a single call may bring in place of the agent's own.">
        <OverrideFields editing={editing} />
      </Group>
    </fieldset>
  );
}

/** Fields that belong together: their name at the side, where there is room. */
const Group = ({ title, note, children }: { title: string; note?: string; children: ComponentChildren }) => (
  <section class="group" aria-label={title}>
    <div class="group-head">
      <h2>{title}</h2>
      {note !== undefined && <p class="soft">{note}</p>}
    </div>
    <div class="group-body">{children}</div>
  </section>
);

const NameField = ({ editing }: { editing: Editing }) => (
  <Field label="Name" problem={problemAt(editing, "name")}>
    {(control) => (
      <input
        {...control}
        dir="auto"
        autocomplete="off"
        value={editing.definition.name}
        onInput={({ currentTarget: { value } }) => editing.change({ name: value })}
      />
    )}
  </Field>
);

const LAYERS = [
  { field: "basePrompt", label: "Base prompt", hint: "Who the agent is and what it is for.", rows: 6 },
  { field: "context", label: "Context", hint: "What the agent knows. Empty: left out.", rows: 4 },
  { field: "customInstructions", label: "Instructions", hint: "How the agent behaves. Empty: left out.", rows: 4 },
] as const;

function PromptFields({ editing }: { editing: Editing }) {
  const { definition, change } = editing;
  const undeclared = undeclaredVariables(definition);
  return (
    <>
      {LAYERS.map(({ field, label, hint, rows }) => (
        <Field key={field} label={label} hint={hint} problem={problemAt(editing, field)}>
          {(control) => (
            <TextArea
              control={control}
              rows={rows}
              value={definition[field]}
              onInput={(value) => change({ [field]: value })}
            />
          )}
        </Field>
      ))}
      {undeclared.length > 0 && (
        <p class="definition-warning" role="status">
          {undeclared.map((name) => `{{${name}}}`).join(", ")} {undeclared.length === 1 ? "is" : "are"} not among the
          variables yet.{" "}
          {!editing.isReadOnly && (
            <button
              type="button"
              class="button button-quiet"
              onClick={() =>
                change({
                  variables: [
                    ...definition.variables,
                    ...undeclared.map((name) => ({ name, type: "string" as const })),
                  ],
                })
              }
            >
              Add
            </button>
          )}
        </p>
      )}
    </>
  );
}

const GreetingField = ({ editing }: { editing: Editing }) => (
  <Field
    label="Greeting"
    hint="Spoken word for word when the agent speaks first. Empty: the LLM finds its own."
    problem={problemAt(editing, "callSettings.greeting")}
  >
    {(control) => (
      <TextArea
        control={control}
        rows={2}
        value={editing.definition.callSettings.greeting ?? ""}
        onInput={(value) => changeSetting(editing, "greeting", value === "" ? undefined : value)}
      />
    )}
  </Field>
);
