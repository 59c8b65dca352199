import type { RequestOptions, Schema } from "../../../client/src/index.ts";
import { jsonObjectOf } from "../../app/json-schema.ts";
import { type BytesSent, sendFile } from "../../app/send-file.ts";
import type { NamedFile } from "../../app/uploads.ts";

type Transcription = Schema<"TranscriptionSummary">;
type NewTranscription = RequestOptions<"post", "/transcriptions">["body"];

export const REDACTIONS = ["card_number", "phone_number", "email", "national_id"] as const;
export type Redaction = (typeof REDACTIONS)[number];

/** What stands in the fields of the form. */
export interface GivenOptions {
  /** A code of the service's languages, `auto`, or empty for what the service does by itself. */
  language: string;
  channels: "mix" | "separate";
  timestamps: "word" | "segment";
  speakers: boolean;
  /** One word or phrase in each line. */
  vocabulary: string;
  redact: readonly Redaction[];
  deleteAudio: boolean;
  /** JSON; empty for none. */
  metadata: string;
}

export const FIRST_OPTIONS: GivenOptions = {
  language: "",
  channels: "mix",
  timestamps: "word",
  speakers: false,
  vocabulary: "",
  redact: [],
  deleteAudio: false,
  metadata: "",
};

/** The options of a request; those that are as the service has them by itself are left out. */
export type Options = Omit<NewTranscription, "url" | "callId">;

/** The options of a request, or what is wrong with a field before the service is asked. */
export function optionsOf(given: GivenOptions): { options: Options } | { problems: Readonly<Record<string, string>> } {
  const metadata = jsonObjectOf(given.metadata);
  if ("problem" in metadata) return { problems: { metadata: metadata.problem } };
  const vocabulary = given.vocabulary
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return {
    options: {
      ...(given.language !== "" && { language: given.language }),
      ...(given.channels !== FIRST_OPTIONS.channels && { channels: given.channels }),
      ...(given.timestamps !== FIRST_OPTIONS.timestamps && { timestamps: given.timestamps }),
      ...(given.speakers && { speakers: true }),
      ...(vocabulary.length > 0 && { vocabulary }),
      ...(given.redact.length > 0 && { redact: [...given.redact] }),
      ...(given.deleteAudio && { deleteAudio: true }),
      ...(Object.keys(metadata.value).length > 0 && { metadata: metadata.value }),
    },
  };
}

/** The same options as the fields of a form: lists once for each value, metadata as JSON. */
export function formFieldsOf(options: Options): readonly (readonly [name: string, value: string])[] {
  return Object.entries(options).flatMap(([name, value]): (readonly [string, string])[] => {
    if (Array.isArray(value)) return value.map((one) => [name, String(one)] as const);
    return [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]];
  });
}

/** A file with the options that were chosen for it. */
export interface GivenFile extends NamedFile {
  readonly file: Blob;
  readonly options: Options;
}

/** Sends a file; its options come first, so that they are checked before it is read. */
export function sendAudio(
  { file, name, options }: GivenFile,
  onSent: (bytes: BytesSent) => void,
  signal: AbortSignal,
): Promise<Transcription> {
  const body = new FormData();
  for (const [field, value] of formFieldsOf(options)) body.append(field, value);
  body.append("file", file, name);
  return sendFile({ method: "POST", path: "/transcriptions", body, onSent, signal });
}
