import { useState } from "preact/hooks";
import type { Schema } from "../../../../client/src/index.ts";
import { api } from "../../../app/api.ts";
import { mayAct } from "../../../app/roles.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/failure.tsx";
import { Field } from "../../../ui/field.tsx";
import { Foreign } from "../../../ui/figures.tsx";
import type { CallSettings } from "../model/definition.ts";
import { isOfOtherLanguage, sampleLanguage, sampleText } from "../model/voices.ts";
import { useVoiceSample } from "../try/use-voice-sample.ts";
import { type Editing, problemAt } from "./editing.ts";
import { VoiceDialog } from "./voice-dialog.tsx";

/** What the account may use. */
export interface Speech {
  languages: readonly Schema<"Language">[];
  voices: readonly Schema<"Voice">[];
}

async function loadSpeech(signal: AbortSignal): Promise<Speech> {
  const [languages, voices] = await Promise.all([api.get("/languages", { signal }), api.get("/voices", { signal })]);
  return { languages: languages.data, voices: voices.data };
}

/** The language of the agent, and the voice that speaks it. */
export function LanguageAndVoice({ editing }: { editing: Editing }) {
  const { languageId } = editing.definition;
  const speech = useResource("speech", loadSpeech);
  if (speech.status === "failed") return <ErrorNote error={speech.error} />;
  const { languages, voices } = speech.status === "ready" ? speech.value : { languages: [], voices: [] };
  const isListed = languages.some(({ code }) => code === languageId);
  return (
    <>
      <Field label="Language" problem={problemAt(editing, "languageId")}>
        {(control) => (
          <select
            {...control}
            value={languageId}
            onChange={({ currentTarget: { value } }) => editing.change({ languageId: value })}
          >
            {!isListed && <option value={languageId}>{languageId || "Choose one"}</option>}
            {languages.map(({ code, name }) => (
              <option key={code} value={code}>
                {name} ({code})
              </option>
            ))}
          </select>
        )}
      </Field>
      <VoiceField editing={editing} speech={{ languages, voices }} />
    </>
  );
}

/** A greeting that can be spoken as it is. */
function greetingOf({ greeting = "" }: CallSettings): string | undefined {
  return greeting.trim() === "" || greeting.includes("{{") ? undefined : greeting;
}

function VoiceField({ editing, speech }: { editing: Editing; speech: Speech }) {
  const [isOpen, setOpen] = useState(false);
  const sample = useVoiceSample();
  const { voiceId, languageId, callSettings } = editing.definition;
  const voice = speech.voices.find(({ id }) => id === voiceId);
  const problem = problemAt(editing, "voiceId");
  const language = voice === undefined ? languageId : sampleLanguage(voice, speech.languages, languageId);
  return (
    <div class="field">
      <p class="group-label">Voice</p>
      <div class="voice-line">
        <p class="voice-name">
          {voice === undefined ? (
            <Foreign text={voiceId || "None is chosen."} />
          ) : (
            <>
              <Foreign text={voice.name} /> <span class="soft">{`${voice.language} · ${voice.provider}`}</span>
            </>
          )}
        </p>
        {!editing.isReadOnly && <Button onClick={() => setOpen(true)}>Choose</Button>}
        {mayAct("editor") && voiceId !== "" && (
          <Button
            onClick={() =>
              sample.voiceId === undefined
                ? sample.play({ voiceId, language, text: greetingOf(callSettings) ?? sampleText(language) })
                : sample.stop()
            }
          >
            {sample.voiceId === undefined ? "Hear" : "Stop"}
          </Button>
        )}
      </div>
      {problem !== undefined && <p class="field-problem">{problem}</p>}
      {problem === undefined && voice !== undefined && isOfOtherLanguage(voice, languageId) && (
        <p class="definition-warning">
          This voice is listed for {voice.language}: choose one for {languageId}, unless it speaks both.
        </p>
      )}
      <ErrorNote error={sample.error} />
      {isOpen && (
        <VoiceDialog
          speech={speech}
          language={languageId}
          voiceId={voiceId}
          onChoose={(id) => editing.change({ voiceId: id })}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
