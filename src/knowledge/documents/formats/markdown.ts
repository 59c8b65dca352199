import { marked, type Token, type Tokens } from "marked";
import { DOCUMENT_CHARS_MAX } from "../../../core/limits/knowledge/corpora.ts";
import type { Block } from "../../chunking/blocks.ts";
import { documentError } from "../errors.ts";
import { decodedText } from "./decode.ts";
import { HtmlReader } from "./html.ts";

/** The headings and paragraphs of a file with Markdown. */
export async function* markdownBlocks(path: string): AsyncGenerator<Block> {
  let text = "";
  for await (const part of decodedText(path)) {
    text += part;
    if (text.length > DOCUMENT_CHARS_MAX) throw tooMuchText();
  }
  let tokens: readonly Token[];
  try {
    tokens = marked.lexer(text);
  } catch (error) {
    // Lists and quotations may be nested deeper than the stack.
    throw documentError("too_complex", "the Markdown is nested too deeply", error);
  }
  for (const token of tokens) yield* blocksOf(token, "");
}

export const tooMuchText = (): Error =>
  documentError(
    "too_much_text",
    `the document has more than ${DOCUMENT_CHARS_MAX} characters, the most that one may have`,
  );

function* blocksOf(token: Token, prefix: string): Generator<Block> {
  switch (token.type) {
    case "heading":
      yield { kind: "heading", level: (token as Tokens.Heading).depth, text: inlineText(token) };
      return;
    case "list":
      for (const item of (token as Tokens.List).items) yield* itemBlocks(item, prefix);
      return;
    case "blockquote":
      for (const inner of (token as Tokens.Blockquote).tokens) yield* blocksOf(inner, prefix);
      return;
    case "table":
      yield* tableBlocks(token as Tokens.Table);
      return;
    case "html": {
      const reader = new HtmlReader();
      yield* reader.write(token.raw);
      yield* reader.end();
      return;
    }
    case "space":
    case "hr":
    case "def":
      return;
    default:
      yield { kind: "text", text: prefix + inlineText(token) };
  }
}

function* itemBlocks(item: Tokens.ListItem, prefix: string): Generator<Block> {
  let own = "";
  const inner: Token[] = [];
  for (const token of item.tokens) {
    if (token.type === "text" || token.type === "paragraph") own += (own === "" ? "" : " ") + inlineText(token);
    else inner.push(token);
  }
  if (own !== "") yield { kind: "text", text: `${prefix}- ${own}` };
  for (const token of inner) yield* blocksOf(token, `${prefix}  `);
}

function* tableBlocks({ header, rows }: Tokens.Table): Generator<Block> {
  for (const cells of [header, ...rows]) {
    yield { kind: "text", text: cells.map((cell) => cell.tokens.map(inlineText).join("")).join(" | ") };
  }
}

/** The words of a token without its marks; of a link its text. */
function inlineText(token: Token): string {
  if (token.type === "br") return "\n";
  if (token.type === "html") return "";
  if ("tokens" in token && token.tokens !== undefined && token.tokens.length > 0)
    return token.tokens.map(inlineText).join("");
  return "text" in token && typeof token.text === "string" ? token.text : "";
}
