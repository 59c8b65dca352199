/** What can be redacted of a call or a transcription. */
export const REDACTION_KINDS = ["card_number", "phone_number", "email", "national_id", "variables"] as const;
export type RedactionKind = (typeof REDACTION_KINDS)[number];

/** Those of transcriptions of files, which have no variables. */
export const TRANSCRIPTION_REDACTION_KINDS = REDACTION_KINDS.filter((kind) => kind !== "variables");

/** What stands in a text in place of what was redacted. */
export const REDACTION_LABELS: Readonly<Record<RedactionKind, string>> = {
  card_number: "[card number]",
  phone_number: "[phone number]",
  email: "[email]",
  national_id: "[national id]",
  variables: "[variable]",
};

/** What to look for. */
export interface RedactionRules {
  readonly kinds: readonly RedactionKind[];
  /** BCP 47: decide how digits and addresses are spoken, and which countries' numbers are looked for. What one of them finds counts. */
  readonly languages: readonly string[];
  /** For `variables`: the values that must not be kept. */
  readonly values: readonly string[];
}

/** One text that was said, typed or written, in order of time. */
export interface RedactableText {
  /** What may continue a number of the same speaker; any name. */
  readonly speaker: string;
  readonly text: string;
}

/** A part of a text to redact, in UTF-16 units. */
export interface RedactionSpan {
  readonly kind: RedactionKind;
  readonly from: number;
  readonly to: number;
}
