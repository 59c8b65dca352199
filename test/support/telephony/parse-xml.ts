/** An element of a document. Text and elements within it are in their order. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const TAG = /<(\/?)([A-Za-z]+)((?: [A-Za-z]+="[^"<]*")*)(\/?)>|([^<]+)/y;
const NOT_IN_XML = /[\p{Cc}\p{Cs}\ufffe\uffff]/u;

/**
 * Parses the part of XML 1.0 that documents for carriers need, strictly: no comment, section, processing instruction or other entity.
 * Throws for whatever is not that.
 */
export function parseXml(document: string): XmlElement {
  if (!document.startsWith(DECLARATION)) throw new Error("no declaration");
  if (NOT_IN_XML.test(document)) throw new Error("a character that XML does not allow");
  const top: XmlElement = { name: "", attributes: {}, children: [] };
  const open = [top];
  TAG.lastIndex = DECLARATION.length;
  for (let at = TAG.lastIndex; at < document.length; at = TAG.lastIndex) {
    const match = TAG.exec(document);
    if (match === null) throw new Error(`no XML at ${at}`);
    const [, end, name = "", attributes = "", empty, text] = match;
    const parent = open.at(-1) as XmlElement;
    if (text !== undefined) parent.children.push(unescaped(text));
    else if (end === "/") {
      if (parent.name !== name || attributes !== "") throw new Error(`${name} is not open`);
      open.pop();
    } else {
      const element = { name, attributes: attributesOf(attributes), children: [] };
      parent.children.push(element);
      if (empty !== "/") open.push(element);
    }
  }
  const [root, ...others] = top.children;
  if (open.length !== 1 || others.length > 0 || root === undefined || typeof root === "string")
    throw new Error("no root");
  return root;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ ([A-Za-z]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [
    name,
    unescaped(value),
  ]);
  const attributes = Object.fromEntries(pairs);
  if (Object.keys(attributes).length !== pairs.length) throw new Error("an attribute twice");
  return attributes;
}

function unescaped(text: string): string {
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(text) || text.includes(">")) throw new Error("not escaped");
  return text.replace(/&([a-z]+);/g, (_, name) => ENTITIES[name] as string);
}
