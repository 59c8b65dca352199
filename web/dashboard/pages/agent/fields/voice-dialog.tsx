import { useMemo, useState } from "preact/hooks";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { ErrorNote } from "../../../ui/failure.tsx";
import { Field } from "../../../ui/field.tsx";
import { Foreign } from "../../../ui/figures.tsx";
import { matchingVoices, sampleLanguage, sampleText } from "../model/voices.ts";
import { useVoiceSample } from "../try/use-voice-sample.ts";
import type { Speech } from "./language-and-voice.tsx";
import "./voice-dialog.css";

interface VoiceDialogProps {
  speech: Speech;
  language: string;
  voiceId: string;
  onChoose: (voiceId: string) => void;
  onClose: () => void;
}

/** So many are in the document; more are found by the filters. */
const SHOWN_MAX = 100;

/** Chooses a voice by hearing it. */
export function VoiceDialog({ speech, language, voiceId, onChoose, onClose }: VoiceDialogProps) {
  const [chosen, setChosen] = useState(voiceId);
  const [isAll, setAll] = useState(false);
  const [provider, setProvider] = useState("");
  const [text, setText] = useState("");
  const [said, setSaid] = useState("");
  const sample = useVoiceSample();
  const { voices, languages } = speech;
  const providers = useMemo(() => [...new Set(voices.map((voice) => voice.provider))].sort(), [voices]);
  const filter = { language: isAll ? undefined : language, provider: provider || undefined, text };
  const matching = matchingVoices(voices, filter);
  return (
    <ConfirmDialog
      title="Choose a voice"
      action="Use this voice"
      onClose={onClose}
      onConfirm={async () => onChoose(chosen)}
    >
      <div class="voice-filters">
        <Field label="Name">
          {(control) => (
            <input
              {...control}
              autocomplete="off"
              value={text}
              onInput={({ currentTarget: { value } }) => setText(value)}
            />
          )}
        </Field>
        {providers.length > 1 && (
          <Field label="Provider">
            {(control) => (
              <select {...control} value={provider} onChange={({ currentTarget: { value } }) => setProvider(value)}>
                <option value="">Any</option>
                {providers.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field label="Voices">
          {(control) => (
            <select
              {...control}
              value={isAll ? "all" : ""}
              onChange={({ currentTarget: { value } }) => setAll(value === "all")}
            >
              <option value="">of {language}</option>
              <option value="all">of all languages</option>
            </select>
          )}
        </Field>
      </div>
      <Field label="What it says" hint="A sample is a call of a few seconds, and costs as one.">
        {(control) => (
          <input
            {...control}
            dir="auto"
            value={said}
            placeholder={sampleText(language)}
            onInput={({ currentTarget: { value } }) => setSaid(value)}
          />
        )}
      </Field>
      <ErrorNote error={sample.error} />
      <ul class="voices" aria-label="Voices">
        {matching.slice(0, SHOWN_MAX).map((voice) => {
          const own = sampleLanguage(voice, languages, language);
          const isHeard = sample.voiceId === voice.id;
          return (
            <li key={voice.id}>
              <label>
                <input
                  type="radio"
                  name="voice"
                  value={voice.id}
                  checked={chosen === voice.id}
                  onChange={() => setChosen(voice.id)}
                />
                <span>
                  <Foreign text={voice.name} /> <span class="soft">{`${voice.language} · ${voice.provider}`}</span>
                </span>
              </label>
              <Button
                kind="quiet"
                aria-label={`${isHeard ? "Stop" : "Hear"} ${voice.name}`}
                onClick={() =>
                  isHeard
                    ? sample.stop()
                    : sample.play({ voiceId: voice.id, language: own, text: said.trim() || sampleText(own) })
                }
              >
                {isHeard ? "Stop" : "Hear"}
              </Button>
            </li>
          );
        })}
      </ul>
      <p class="soft" role="status">
        {matching.length === 0
          ? "No voice matches."
          : matching.length > SHOWN_MAX
            ? `${SHOWN_MAX} of ${matching.length}: write part of a name to find others.`
            : ""}
      </p>
    </ConfirmDialog>
  );
}
