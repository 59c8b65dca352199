import { api } from "../../app/api.ts";
import { words } from "../../app/format.ts";
import { useResource } from "../../app/use-resource.ts";
import { Field } from "../../ui/field.tsx";
import { type GivenOptions, REDACTIONS } from "./options.ts";

interface OptionFieldsProps {
  given: GivenOptions;
  onChange: (given: GivenOptions) => void;
  problem: (field: string) => string | undefined;
}

/** How it is to be transcribed. */
export function OptionFields({ given, onChange, problem }: OptionFieldsProps) {
  const set = (changes: Partial<GivenOptions>): void => onChange({ ...given, ...changes });
  return (
    <>
      <div class="transcriptions-options">
        <LanguageField
          value={given.language}
          onChange={(language) => set({ language })}
          problem={problem("language")}
        />
        <Field label="Channels" problem={problem("channels")}>
          {(control) => (
            <select
              {...control}
              value={given.channels}
              onChange={({ currentTarget: { value } }) => set({ channels: value as GivenOptions["channels"] })}
            >
              <option value="mix">Mixed to one</option>
              <option value="separate">Each for itself</option>
            </select>
          )}
        </Field>
        <Field label="Times" problem={problem("timestamps")}>
          {(control) => (
            <select
              {...control}
              value={given.timestamps}
              onChange={({ currentTarget: { value } }) => set({ timestamps: value as GivenOptions["timestamps"] })}
            >
              <option value="word">Of every word</option>
              <option value="segment">Of every utterance</option>
            </select>
          )}
        </Field>
      </div>
      <div class="transcriptions-checks">
        <Check label="Distinguish speakers" isOn={given.speakers} onChange={(speakers) => set({ speakers })} />
        <Check
          label="Delete the audio when it is transcribed"
          isOn={given.deleteAudio}
          onChange={(deleteAudio) => set({ deleteAudio })}
        />
      </div>
      {problem("speakers") !== undefined && <p class="field-problem">{problem("speakers")}</p>}
      <details class="transcriptions-more" open={given.vocabulary !== "" || problem("metadata") !== undefined}>
        <summary>Vocabulary, redaction and metadata</summary>
        <Field
          label="Vocabulary"
          hint="Words that are likely, such as names; one in each line."
          problem={problem("vocabulary")}
        >
          {(control) => (
            <textarea
              {...control}
              rows={3}
              dir="auto"
              value={given.vocabulary}
              onInput={({ currentTarget: { value } }) => set({ vocabulary: value })}
            />
          )}
        </Field>
        <fieldset class="transcriptions-checks">
          <legend>What is not kept of the words; the audio is then deleted, too</legend>
          {REDACTIONS.map((kind) => (
            <Check
              key={kind}
              label={words(kind)}
              isOn={given.redact.includes(kind)}
              onChange={(isOn) =>
                set({ redact: isOn ? [...given.redact, kind] : given.redact.filter((one) => one !== kind) })
              }
            />
          ))}
        </fieldset>
        <Field label="Metadata, as a JSON object" hint="It is kept as it is." problem={problem("metadata")}>
          {(control) => (
            <textarea
              {...control}
              class="control transcriptions-code"
              rows={3}
              spellcheck={false}
              value={given.metadata}
              onInput={({ currentTarget: { value } }) => set({ metadata: value })}
            />
          )}
        </Field>
      </details>
    </>
  );
}

interface LanguageFieldProps {
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}

/** The languages that are offered; the service knows what it can transcribe, and says it. */
function LanguageField({ value, onChange, problem }: LanguageFieldProps) {
  const languages = useResource("languages", (signal) => api.get("/languages", { query: {}, signal }));
  const offered = languages.status === "ready" ? languages.value.data : [];
  return (
    <Field label="Language" problem={problem}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">As the service does by itself</option>
          <option value="auto">Detected</option>
          {offered.map(({ code, name }) => (
            <option key={code} value={code}>
              {name} ({code})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const Check = ({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <label class="transcriptions-check">
    <input type="checkbox" checked={isOn} onChange={({ currentTarget: { checked } }) => onChange(checked)} />
    {label}
  </label>
);
