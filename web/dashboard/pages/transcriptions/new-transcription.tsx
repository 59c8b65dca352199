import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { problemOf } from "../../app/errors.ts";
import { bytesText } from "../../app/format.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/failure.tsx";
import { Field } from "../../ui/field.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Section } from "../../ui/page.tsx";
import { OptionFields } from "./option-fields.tsx";
import { FIRST_OPTIONS, type GivenFile, optionsOf } from "./options.ts";
import "./transcriptions.css";

type Source = "file" | "url" | "call";

interface NewTranscriptionProps {
  /** Files were chosen, and are to be sent. */
  onFiles: (files: readonly GivenFile[]) => void;
  onCreated: () => void;
  onClose: () => void;
}

/** The form of a new transcription: of files, of an address or of the recording of a call. */
export function NewTranscription({ onFiles, onCreated, onClose }: NewTranscriptionProps) {
  const [source, setSource] = useState<Source>("file");
  const [files, setFiles] = useState<readonly File[]>([]);
  const [address, setAddress] = useState("");
  const [given, setGiven] = useState(FIRST_OPTIONS);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const problem = (field: string): string | undefined => problems[field] ?? problemOf(error, field);

  const submit = async (): Promise<void> => {
    setError(undefined);
    const checked = optionsOf(given);
    const missing = source === "file" && files.length === 0 ? { file: "must be chosen" } : {};
    setProblems({ ...("problems" in checked && checked.problems), ...missing });
    if ("problems" in checked || "file" in missing) return;
    const { options } = checked;
    if (source === "file") {
      onFiles(files.map((file) => ({ name: file.name, size: file.size, file, options })));
      onClose();
      return;
    }
    setBusy(true);
    try {
      const from = source === "url" ? { url: address.trim() } : { callId: address.trim() };
      await api.post("/transcriptions", { body: { ...options, ...from } });
      onCreated();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };

  return (
    <Section title="New transcription">
      <form
        class="transcriptions-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <ErrorNote error={error} />
        <div class="transcriptions-source">
          <Field label="Audio from">
            {(control) => (
              <select
                {...control}
                value={source}
                onChange={({ currentTarget: { value } }) => setSource(value as Source)}
              >
                <option value="file">Files</option>
                <option value="url">An address</option>
                <option value="call">The recording of a call</option>
              </select>
            )}
          </Field>
          {source === "file" ? (
            <FileDrop
              label="Files"
              hint={chosenText(files)}
              problem={problem("file")}
              isMultiple
              accept="audio/*,video/*,.wav,.mp3,.m4a,.flac,.ogg,.opus,.webm,.mp4"
              onFiles={setFiles}
            />
          ) : (
            <Field
              label={source === "url" ? "Address" : "Id of the call"}
              hint={
                source === "url"
                  ? "It is fetched by the service, and must be on the public internet."
                  : "Of this account, with a recording: it is on the page of the call."
              }
              problem={problem(source === "url" ? "url" : "callId")}
            >
              {(control) => (
                <input
                  {...control}
                  required
                  autocomplete="off"
                  spellcheck={false}
                  value={address}
                  onInput={({ currentTarget: { value } }) => setAddress(value)}
                />
              )}
            </Field>
          )}
        </div>
        <OptionFields given={given} onChange={setGiven} problem={problem} />
        <div class="page-actions">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            Transcribe
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Section>
  );
}

function chosenText(files: readonly File[]): string {
  if (files.length === 0) return "Audio or video in any usual format; drop it here, or choose several at once.";
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const [first] = files;
  return files.length === 1 ? `${first?.name}, ${bytesText(bytes)}` : `${files.length} files, ${bytesText(bytes)}`;
}
