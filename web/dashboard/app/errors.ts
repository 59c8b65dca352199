import { TrunklineApiError } from "../../client/src/index.ts";

/** An error as a page shows it. */
export interface ShownError {
  /** A sentence. */
  message: string;
  /** What the service says of each wrong field. */
  details: readonly { field: string; message: string }[];
  /** The stable code of the API; undefined for an error that is none of the API. */
  code: string | undefined;
  /** Names the request in the log of the service. */
  requestId: string | undefined;
}

/** What a page shows of anything that was thrown. */
export function shownErrorOf(error: unknown): ShownError {
  if (!(error instanceof TrunklineApiError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { message: sentenceOf(message), details: [], code: undefined, requestId: undefined };
  }
  const { code, requestId } = error;
  const details = error.details.map(({ path, message }) => ({ field: fieldOf(path), message }));
  return { message: sentenceOf(messageOf(error)), details, code, requestId };
}

/** The problem of one field of a form, by its JSON pointer without the first slash. */
export const problemOf = (error: unknown, field: string): string | undefined =>
  error instanceof TrunklineApiError ? error.details.find(({ path }) => fieldOf(path) === field)?.message : undefined;

/** The problems of a field that is a list, those of its entries included: `entry 2 must be …`. */
export function problemsOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof TrunklineApiError)) return undefined;
  const found = error.details.flatMap(({ path, message }) => {
    const at = fieldOf(path);
    if (at === field) return [message];
    if (!at.startsWith(`${field}.`)) return [];
    const entry = at.slice(field.length + 1);
    return [`${/^\d+$/.test(entry) ? `entry ${Number(entry) + 1}` : entry} ${message}`];
  });
  return found.length === 0 ? undefined : found.join("; ");
}

function messageOf({ code, message }: TrunklineApiError): string {
  if (code === "no_answer") return "the service does not answer: check that it runs and that this device is connected";
  // The client puts the request, the status and the code before what the service said, and the request's id after it.
  return /^[A-Z]+ \S+: \d{3} \w+: (.*) \([\w-]+\)$/s.exec(message)?.[1] ?? message;
}

const fieldOf = (pointer: string): string => pointer.replace(/^\//, "").replaceAll("/", ".");

/** The messages of the service are made for programs: they begin in lower case and end without a full stop. */
const sentenceOf = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
