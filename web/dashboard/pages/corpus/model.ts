import type { Schema } from "../../../client/src/index.ts";
import type { Tone } from "../../ui/tone.ts";

export type Corpus = Schema<"Corpus">;
export type Document = Schema<"Document">;

/** A state in words that people read, and how it is marked. */
export interface ShownState {
  text: string;
  tone: Tone;
}

/** The state of a document; one that is processed again is still found as it was. */
export function documentStateOf({ status, isFound }: Pick<Document, "status" | "isFound">): ShownState {
  if (status === "ready") return { text: "ready", tone: "good" };
  if (status === "failed") return { text: "failed", tone: "bad" };
  return { text: isFound ? "in progress again" : "in progress", tone: "active" };
}

export const STATUS_CHOICES = [
  { value: "processing", label: "in progress" },
  { value: "ready", label: "ready" },
  { value: "failed", label: "failed" },
];

export const SOURCE_CHOICES = [
  { value: "upload", label: "file" },
  { value: "url", label: "address" },
  { value: "text", label: "text" },
];

/** The filters of the list of documents, as they are called in the address and in the API. */
export const FILTERS = ["status", "source"] as const;

export type DocumentFilters = Partial<Record<(typeof FILTERS)[number], string>>;

/** What the list of documents is asked, of what stands in the address. */
export function documentFiltersOf(query: Readonly<Record<string, string>>): DocumentFilters {
  return Object.fromEntries(FILTERS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
}

/** Whether a document can be processed again: there must be something to read, and it must not be under way. */
export const mayProcessAgain = ({ status, url, hasFile }: Pick<Document, "status" | "url" | "hasFile">): boolean =>
  status !== "processing" && (url !== null || hasFile);

/** How the scores of passages compare: each in per cent of the best, and 0 where none is above 0. */
export function sharesOfBest(scores: readonly number[]): readonly number[] {
  const best = Math.max(0, ...scores);
  return scores.map((score) => (best <= 0 ? 0 : Math.round((Math.max(0, score) / best) * 100)));
}

/** The question in the address, and how many passages are wanted. */
export interface Question {
  text: string;
  passagesMax: number;
}

export const PASSAGES_DEFAULT = 5;
export const PASSAGES_MAX = 50;

/** Undefined where nothing is asked. */
export function questionOf(query: Readonly<Record<string, string>>): Question | undefined {
  const text = (query.question ?? "").trim();
  if (text === "") return undefined;
  const count = Number(query.passages ?? PASSAGES_DEFAULT);
  const isCount = Number.isInteger(count) && count >= 1 && count <= PASSAGES_MAX;
  return { text, passagesMax: isCount ? count : PASSAGES_DEFAULT };
}

/** Where passages stand, each place once: `catalogue.pdf, page 12; prices.md`. Empty where the names are not stored. */
export function placesOf(
  passages: readonly { documentName?: string | undefined; page?: number | undefined }[],
): string {
  const places = passages.flatMap(({ documentName, page }) =>
    documentName === undefined ? [] : [page === undefined ? documentName : `${documentName}, page ${page}`],
  );
  return [...new Set(places)].join("; ");
}
