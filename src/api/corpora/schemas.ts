import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import type { CorpusId, DocumentId } from "../../core/ids.ts";
import { CORPUS_MODES, DOCUMENT_SOURCES, DOCUMENT_STATUSES } from "../../core/knowledge/documents.ts";
import {
  CORPUS_DESCRIPTION_CHARS_MAX,
  CORPUS_NAME_CHARS_MAX,
  DOCUMENT_BYTES_DEFAULT,
  DOCUMENT_NAME_CHARS_MAX,
  DOCUMENT_URL_CHARS_MAX,
  INLINE_TEXT_CHARS_MAX,
} from "../../core/limits/knowledge/corpora.ts";
import { metadata } from "../calls/schemas/request-schemas.ts";
import { ALONGSIDE_FIELD_ERRORS, oneOf, textNotBlank } from "../http/requests/fields.ts";
import { isBlank } from "../http/requests/validation.ts";
import { pageFields } from "../http/responses/cursor.ts";

// Each `error` continues the field's name: see fields.ts.

export const corpusId = z.string().meta({
  description: "`cor_` and a UUIDv7.",
  examples: ["cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<CorpusId, string>;

export const documentId = z.string().meta({
  description: "`doc_` and a UUIDv7.",
  examples: ["doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11"],
}) as unknown as z.ZodType<DocumentId, string>;

export const CorpusParams = z.object({ id: corpusId });
export const DocumentParams = z.object({ id: corpusId, documentId });

const nameRule = (charsMax: number) => ({
  error: `must be a string of at most ${charsMax} characters that is not blank and has no control characters`,
});
const nameOf = (charsMax: number) =>
  z
    .string(nameRule(charsMax))
    .max(charsMax, nameRule(charsMax))
    .refine((value) => !isBlank(value) && !/\p{Cc}/u.test(value), nameRule(charsMax));

const descriptionRule = { error: `must be a string of at most ${CORPUS_DESCRIPTION_CHARS_MAX} characters` };
const languageRule = { error: 'must be a BCP 47 language tag such as "en" or "de-CH"' };

const corpusFields = {
  name: nameOf(CORPUS_NAME_CHARS_MAX).meta({ description: "Need not be unique.", examples: ["Products"] }),
  description: z
    .string(descriptionRule)
    .max(CORPUS_DESCRIPTION_CHARS_MAX, descriptionRule)
    .meta({
      description: "What its documents are about. The LLM reads it where it may choose what to look up.",
      examples: ["Prices, sizes and guarantees of our products."],
    }),
  languageId: z
    .string(languageRule)
    .refine(isLanguageTag, languageRule)
    .meta({
      description: "The language of its documents, as a BCP 47 tag; it decides words, stems and sentences.",
      examples: ["en"],
    }),
  mode: oneOf(CORPUS_MODES).meta({
    description:
      "`search`: an agent gets the passages that fit what was said. `full`: it gets the whole corpus with its prompt, for a few thousand tokens.",
  }),
  metadata,
};

/** Whether a text is a BCP 47 language tag. */
export function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** `POST /corpora`. */
export const NewCorpusBody = z
  .strictObject(
    {
      name: corpusFields.name,
      description: corpusFields.description.default(""),
      languageId: corpusFields.languageId.default("en"),
      mode: corpusFields.mode.default("search"),
      metadata: metadata.default({}),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewCorpus",
    description: "A corpus without documents.",
    examples: [{ name: "Products", description: "Prices, sizes and guarantees of our products.", languageId: "en" }],
  });

/** `PATCH /corpora/{id}`. */
export const CorpusChangesBody = z
  .strictObject(
    {
      name: corpusFields.name.optional(),
      description: corpusFields.description.optional(),
      languageId: corpusFields.languageId.optional(),
      mode: corpusFields.mode.optional(),
      metadata: metadata.optional(),
    },
    { error: "must be a JSON object" },
  )
  .meta({ id: "CorpusChanges", description: "The fields that change.", examples: [{ mode: "full" }] });

export const CorpusFilters = z.strictObject(pageFields);

export const DocumentFilters = z.strictObject({
  ...pageFields,
  status: oneOf(DOCUMENT_STATUSES).optional().meta({ description: "Documents in this state." }),
  source: oneOf(DOCUMENT_SOURCES).optional().meta({ description: "Documents that came from there." }),
});

const urlRule = { error: `must be an https:// or http:// address of at most ${DOCUMENT_URL_CHARS_MAX} characters` };
const isFetchable = (given: string): boolean => URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
const inlineRule = { error: `must be a string of at most ${INLINE_TEXT_CHARS_MAX} characters that is not blank` };

const documentName = nameOf(DOCUMENT_NAME_CHARS_MAX);

/** What may be said of a document, however its content comes. */
const saidOfDocument = { name: documentName.optional(), metadata: metadata.optional() };

/** `POST /corpora/{id}/documents` and `PUT /corpora/{id}/documents/{documentId}` as JSON. */
export const DocumentBody = z
  .strictObject(
    {
      url: z
        .string(urlRule)
        .max(DOCUMENT_URL_CHARS_MAX, urlRule)
        .refine(isFetchable, urlRule)
        .optional()
        .meta({
          description:
            "Where the document is fetched, now and whenever it is processed again: an address of the public internet. It is looked up when it " +
            "is fetched; a private address is refused.",
          examples: ["https://example.com/products.html"],
        }),
      text: textNotBlank
        .max(INLINE_TEXT_CHARS_MAX, inlineRule)
        .optional()
        .meta({
          description: "The document itself, as Markdown, or as what the end of its name says (`.txt`, `.html`).",
          examples: ["# Guarantee\n\nEvery pump has a guarantee of five years."],
        }),
      name: documentName.optional().meta({
        description:
          "Shown with its passages. By default the name of the file, or the end of the address; required with `text`.",
        examples: ["Guarantee"],
      }),
      metadata: metadata.optional(),
    },
    { error: "must be a JSON object" },
  )
  .superRefine(({ url, text }, context) => {
    if ((url === undefined) !== (text === undefined)) return;
    const message = "must have either url or text; a file is sent as multipart/form-data";
    context.addIssue({ code: "custom", message });
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({
    id: "DocumentContent",
    description: "A document by its address, or its text itself. One of `url` and `text` is required.",
    examples: [
      { text: "# Guarantee\n\nEvery pump has a guarantee of five years.", name: "Guarantee" },
      { url: "https://example.com/products.html", metadata: { edition: 7 } },
    ],
  });
export type DocumentBody = z.output<typeof DocumentBody>;

/** The fields of an upload besides its file. */
export const UploadFields = z.strictObject(saidOfDocument);
export type UploadFields = z.output<typeof UploadFields>;

const MEBIBYTE = 1024 ** 2;

const field = (schema: z.ZodType): object => {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return shown;
};

/** The same operations as multipart/form-data, for the document. */
export const DOCUMENT_FORM: OpenAPIV3_1.SchemaObject = {
  type: "object",
  description:
    `The document as the part \`file\`, of at most ${DOCUMENT_BYTES_DEFAULT / MEBIBYTE} MiB unless the operator sets DOCUMENT_BYTES_MAX: plain ` +
    "text, Markdown, HTML, PDF or DOCX. What it is is decided by its content.",
  required: ["file"],
  additionalProperties: false,
  properties: {
    file: { type: "string", contentMediaType: "application/octet-stream", description: "The document." },
    name: { ...field(documentName), description: "Shown with its passages. By default the name of the file." },
    metadata: field(metadata),
  },
};
