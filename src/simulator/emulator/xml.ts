import { unavailable } from "../../core/errors.ts";

/** An element of a document. Comments and processing instructions are not kept. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children, trimmed. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const NAME = "[A-Za-z_][\\w.:-]*";
const TOKEN = new RegExp(
  `<\\?[^]*?\\?>|<!--[^]*?-->|<!\\[CDATA\\[([^]*?)\\]\\]>|<(/?)(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>|([^<]+)`,
  "y",
);
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "g");

interface OpenElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

/**
 * Reads a document as strictly as the carriers do: one root, tags that match, no unknown entity. Throws `unavailable` with the
 * place of the first fault. Document types are not supported.
 */
export function parseXml(document: string): XmlElement {
  const root: OpenElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < document.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(document);
    if (found === null) throw unavailable(`the document is no XML at character ${at}`);
    const [, cdata, closes, name, attributes = "", isEmpty, text] = found;
    const parent = open.at(-1) as OpenElement;
    if (text !== undefined || cdata !== undefined) {
      parent.text += cdata ?? unescaped(text ?? "");
      if (parent === root && root.text.trim() !== "") throw unavailable("the document has text outside of its root");
    } else if (name !== undefined && closes === "/") {
      if (parent.name !== name || parent === root)
        throw unavailable(`the document closes <${name}>, which is not open`);
      open.pop();
      open.at(-1)?.children.push(finished(parent));
    } else if (name !== undefined) {
      const element = { name, attributes: attributesOf(attributes), children: [], text: "" };
      if (isEmpty === "/") parent.children.push(finished(element));
      else open.push(element);
    }
  }
  const [only, ...others] = root.children;
  if (open.length > 1) throw unavailable(`the document does not close <${open.at(-1)?.name}>`);
  if (only === undefined || others.length > 0) throw unavailable("the document does not have one root");
  return only;
}

const finished = (element: OpenElement): XmlElement => ({ ...element, text: element.text.trim() });

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name = "", double, single]) => [name, unescaped(double ?? single ?? "")]),
  );

const unescaped = (text: string): string =>
  text.replaceAll(/&(#x?)?([^;&\s]*);?/g, (whole, number: string | undefined, name: string) => {
    const code = number === undefined ? Number.NaN : Number.parseInt(name, number === "#x" ? 16 : 10);
    const character = code <= 0x10_ffff ? String.fromCodePoint(code) : ENTITIES[name];
    if (character === undefined || !whole.endsWith(";")) throw unavailable("the document has an unknown entity");
    return character;
  });
