import { Parser } from "htmlparser2";
import type { Block } from "../../chunking/blocks.ts";
import { charsetOf, decodedText } from "./decode.ts";

/** Elements whose content is no text of the page. */
const SKIPPED: ReadonlySet<string> = new Set(
  "script style template noscript svg math iframe object canvas audio video select title".split(" "),
);
/** Elements that begin and end a paragraph. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form header hr " +
    "li main menu nav ol p pre section summary table tbody tfoot thead tr ul"
  ).split(" "),
);
const CELLS: ReadonlySet<string> = new Set(["td", "th"]);
const HEADING = /^h([1-6])$/;
/** A paragraph is not collected further than this, UTF-16 code units. */
const PARAGRAPH_CHARS_MAX = 20_000;

/** The headings and paragraphs of a page, from its text as it arrives. Links, scripts and attributes are not read, and nothing is fetched. */
export class HtmlReader {
  readonly #blocks: Block[] = [];
  readonly #parser: Parser;
  #text = "";
  /** Elements that are open within one whose content is skipped, that one included. */
  #skipped = 0;
  #level: number | undefined;
  #preformatted = 0;

  constructor() {
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#open(name, "hidden" in attributes),
        ontext: (text) => this.#add(text),
        onclosetag: (name) => this.#close(name),
      },
      { decodeEntities: true },
    );
  }

  /** Takes more of the page, and returns the blocks that are complete. */
  write(text: string): readonly Block[] {
    this.#parser.write(text);
    return this.#blocks.splice(0);
  }

  /** The page is over: returns the last blocks. */
  end(): readonly Block[] {
    this.#parser.end();
    this.#flush();
    return this.#blocks.splice(0);
  }

  #open(name: string, isHidden: boolean): void {
    if (this.#skipped > 0 || SKIPPED.has(name) || isHidden) {
      if (!VOID.has(name)) this.#skipped += 1;
      return;
    }
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined || BLOCKS.has(name)) this.#flush();
    if (level !== undefined) this.#level = Number(level);
    if (name === "li") this.#text = "- ";
    if (name === "pre") this.#preformatted += 1;
    if (name === "br") this.#text += "\n";
    if (CELLS.has(name) && this.#text !== "") this.#text += " | ";
  }

  #add(text: string): void {
    if (this.#skipped > 0) return;
    this.#text += this.#preformatted > 0 ? text : text.replace(/\s+/g, " ");
    if (this.#text.length > PARAGRAPH_CHARS_MAX) this.#flush();
  }

  #close(name: string): void {
    if (this.#skipped > 0) {
      if (!VOID.has(name)) this.#skipped -= 1;
      return;
    }
    if (name === "pre") this.#preformatted = Math.max(0, this.#preformatted - 1);
    if (HEADING.test(name) || BLOCKS.has(name)) this.#flush();
  }

  #flush(): void {
    const text = this.#text.trim();
    const level = this.#level;
    this.#text = "";
    this.#level = undefined;
    if (text === "" || text === "-") return;
    this.#blocks.push(level === undefined ? { kind: "text", text } : { kind: "heading", level, text });
  }
}

/** Elements without content, which the parser opens and closes at once. */
const VOID: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** The blocks of a file with HTML. */
export async function* htmlBlocks(path: string): AsyncGenerator<Block> {
  const reader = new HtmlReader();
  for await (const part of decodedText(path, charsetOf)) yield* reader.write(part);
  yield* reader.end();
}
