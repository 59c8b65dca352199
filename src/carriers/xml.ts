import { primaryLanguage } from "../core/text/language-tags.ts";

// The documents that answer webhooks. Texts in them come from clients and carriers: whatever they are, the document has the elements
// and attributes that were written here, and no others.

/** Control characters, line ends included, and the two code points that XML 1.0 does not allow (section 2.2). */
const NOT_ALLOWED = /[\p{Cc}\ufffe\uffff\u2028\u2029]+/gu;
/** Halves of surrogate pairs. */
const HALF = /\p{Cs}/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** A text as the content of an element or the value of an attribute. Control characters become one space. */
export const xmlText = (text: string): string =>
  text
    .replace(NOT_ALLOWED, " ")
    .replace(HALF, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

/** An element; an attribute of undefined is left out. `content` is XML. */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...content: readonly string[]
): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${xmlText(value)}"`,
  );
  const start = `<${name}${written.join("")}`;
  return content.length === 0 ? `${start}/>` : `${start}>${content.join("")}</${name}>`;
}

/** The document of a carrier: `Response` with these elements. */
export const xmlResponse = (...content: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>${xmlElement("Response", {}, ...content)}`;

/**
 * The tag among `supported` for a text in `language`: this one, or else the first of the same language. Undefined for another language:
 * the carrier's default speaks it then, since a carrier may drop a document with a tag that it does not know.
 */
export const spokenLanguage = (language: string | undefined, supported: readonly string[]): string | undefined =>
  language === undefined
    ? undefined
    : (supported.find((tag) => tag.toLowerCase() === language.toLowerCase()) ??
      supported.find((tag) => primaryLanguage(tag) === primaryLanguage(language)));
