import { useState } from "preact/hooks";
import { problemOf } from "../../app/errors.ts";
import { bytesText } from "../../app/format.ts";
import { type BytesSent, sendFile } from "../../app/send-file.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Foreign } from "../../ui/figures.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Progress } from "../../ui/progress.tsx";
import type { Document } from "./model.ts";

type Kind = "url" | "text" | "file";

interface ContentDialogProps {
  /** What is given; a document that is replaced may be given any of them. */
  kind: Kind;
  corpusId: string;
  /** The one that is replaced; otherwise another one is added. */
  replaced?: Document;
  onClose: () => void;
  onDone: () => void;
}

const TITLES: Readonly<Record<Kind, string>> = {
  url: "Add an address",
  text: "Add a text",
  file: "Add a file",
};

/** Adds a document by its address or as a text, or gives one other content of any kind. */
export function ContentDialog({ kind, corpusId, replaced, onClose, onDone }: ContentDialogProps) {
  const [chosen, setChosen] = useState(kind);
  const [given, setGiven] = useState({ url: replaced?.url ?? "", text: "", name: "" });
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState<BytesSent>();
  const save = async (): Promise<void> => {
    const of = `/corpora/${encodeURIComponent(corpusId)}/documents`;
    await sendFile<Document>({
      method: replaced === undefined ? "POST" : "PUT",
      path: replaced === undefined ? of : `${of}/${encodeURIComponent(replaced.id)}`,
      body: bodyOf(chosen, given, file),
      onSent: setSent,
    });
    onDone();
  };
  return (
    <ConfirmDialog
      title={replaced === undefined ? TITLES[kind] : "Replace the document"}
      action={replaced === undefined ? "Add" : "Replace"}
      onClose={onClose}
      onConfirm={save}
    >
      {(error) => (
        <>
          {replaced !== undefined && (
            <>
              <p>
                <b>
                  <Foreign text={replaced.name} />
                </b>{" "}
                gets other content. Its text is found as it is until the new one is ready.
              </p>
              <KindField kind={chosen} onChange={setChosen} />
            </>
          )}
          <ContentFields kind={chosen} given={given} onChange={setGiven} onFile={setFile} error={error} />
          <Field
            label={chosen === "text" && replaced === undefined ? "Name" : "Name, if it is to be another"}
            hint={replaced === undefined ? "Shown with its passages." : "Without one the name stays."}
            problem={problemOf(error, "name")}
          >
            {(control) => (
              <input
                {...control}
                required={chosen === "text" && replaced === undefined}
                autocomplete="off"
                value={given.name}
                onInput={({ currentTarget: { value } }) => setGiven({ ...given, name: value })}
              />
            )}
          </Field>
          {file !== undefined && chosen === "file" && sent !== undefined && (
            <p class="soft">
              <Progress label={`Sending ${file.name}`} done={sent.sent} total={Math.max(1, sent.total)} />
              {bytesText(sent.sent)} of {bytesText(sent.total)}
            </p>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

interface Given {
  url: string;
  text: string;
  name: string;
}

function bodyOf(kind: Kind, { url, text, name }: Given, file: File | undefined): FormData | object {
  const named = name.trim() === "" ? {} : { name: name.trim() };
  if (kind === "url") return { url: url.trim(), ...named };
  if (kind === "text") return { text, ...named };
  const form = new FormData();
  for (const [field, value] of Object.entries(named)) form.append(field, value);
  if (file !== undefined) form.append("file", file);
  return form;
}

const KindField = ({ kind, onChange }: { kind: Kind; onChange: (kind: Kind) => void }) => (
  <Field label="Content">
    {(control) => (
      <select {...control} value={kind} onChange={({ currentTarget: { value } }) => onChange(value as Kind)}>
        <option value="file">A file</option>
        <option value="url">An address</option>
        <option value="text">A text</option>
      </select>
    )}
  </Field>
);

interface ContentFieldsProps {
  kind: Kind;
  given: Given;
  onChange: (given: Given) => void;
  onFile: (file: File | undefined) => void;
  error: unknown;
}

function ContentFields({ kind, given, onChange, onFile, error }: ContentFieldsProps) {
  if (kind === "file") {
    return (
      <FileDrop
        label="File"
        hint="Plain text, Markdown, HTML, PDF or DOCX."
        problem={problemOf(error, "file")}
        onFiles={([file]) => onFile(file)}
      />
    );
  }
  if (kind === "url") {
    return (
      <Field
        label="Address"
        hint="It is fetched now and whenever the document is processed again. It must be on the public internet."
        problem={problemOf(error, "url")}
      >
        {(control) => (
          <input
            {...control}
            type="url"
            required
            autocomplete="off"
            spellcheck={false}
            value={given.url}
            onInput={({ currentTarget: { value } }) => onChange({ ...given, url: value })}
          />
        )}
      </Field>
    );
  }
  return (
    <Field label="Text" hint="As Markdown: headings divide it into passages." problem={problemOf(error, "text")}>
      {(control) => (
        <textarea
          {...control}
          required
          rows={10}
          dir="auto"
          value={given.text}
          onInput={({ currentTarget: { value } }) => onChange({ ...given, text: value })}
        />
      )}
    </Field>
  );
}
