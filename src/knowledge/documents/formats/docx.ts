import { readFile } from "node:fs/promises";
import { strFromU8, type UnzipFileFilter, unzipSync } from "fflate";
import { Parser } from "htmlparser2";
import { DOCX_INFLATED_BYTES_MAX } from "../../../core/limits/knowledge/corpora.ts";
import type { Block } from "../../chunking/blocks.ts";
import { documentError } from "../errors.ts";

const DOCUMENT = "word/document.xml";
const PARTS: readonly string[] = [DOCUMENT, "word/styles.xml", "word/footnotes.xml", "word/endnotes.xml"];
/** Parts that are read as text, in their order. */
const TEXT_PARTS: readonly string[] = [DOCUMENT, "word/footnotes.xml", "word/endnotes.xml"];
/** A second version of the content beside it, for older programs; and what is not shown. */
const SKIPPED: ReadonlySet<string> = new Set(["mc:Fallback", "w:instrText", "w:delText"]);
/** So many code units of XML are parsed at a time. */
const PARSED_CHARS = 64 * 1024;

/** The headings, paragraphs and rows of a DOCX file (ECMA-376, part 1, 17.3). No other part of it is read, and no entity is resolved. */
export async function* docxBlocks(path: string): AsyncGenerator<Block> {
  const parts = inflated(await readFile(path));
  const body = parts[DOCUMENT];
  if (body === undefined)
    throw documentError("unsupported_format", "the file is a ZIP archive, but no DOCX: it has no word/document.xml");
  const levels = headingLevels(textOf(parts["word/styles.xml"]));
  for (const name of TEXT_PARTS) {
    const reader = new WordReader(levels);
    for (const xml of stretchesOf(textOf(parts[name]))) yield* reader.write(xml);
  }
}

/** The parts that are read. What the archive says of their sizes is believed: none is inflated to more. */
function inflated(archive: Buffer): Readonly<Record<string, Uint8Array>> {
  let bytes = 0;
  const filter: UnzipFileFilter = ({ name, originalSize }) => {
    if (!PARTS.includes(name)) return false;
    bytes += originalSize;
    if (bytes > DOCX_INFLATED_BYTES_MAX)
      throw documentError("too_complex", `the DOCX file inflates to more than ${DOCX_INFLATED_BYTES_MAX} bytes`);
    return true;
  };
  try {
    return unzipSync(archive, { filter });
  } catch (error) {
    if (error instanceof Error && "fault" in error) throw error;
    throw documentError("unreadable", "the DOCX file is damaged: its archive cannot be read", error);
  }
}

const textOf = (part: Uint8Array | undefined): string => (part === undefined ? "" : strFromU8(part));

function* stretchesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += PARSED_CHARS) yield text.slice(start, start + PARSED_CHARS);
}

/** The level of each style that is one of headings, by its id: by its outline level or its name, which Word keeps in English. */
function headingLevels(styles: string): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  let style = "";
  const parser = new Parser(
    {
      onopentag(name, { "w:val": value = "", "w:styleId": id = "" }) {
        if (name === "w:style") style = id;
        const named = name === "w:name" ? /^(?:heading ([1-9])|title)$/i.exec(value) : null;
        if (named !== null) levels.set(style, Number(named[1] ?? 1));
        if (name === "w:outlineLvl" && /^[0-8]$/.test(value)) levels.set(style, Number(value) + 1);
      },
    },
    { xmlMode: true },
  );
  for (const xml of stretchesOf(styles)) parser.write(xml);
  parser.end();
  return levels;
}

/** Reads the body of a document as it comes. */
class WordReader {
  readonly #levels: ReadonlyMap<string, number>;
  readonly #blocks: Block[] = [];
  readonly #parser: Parser;
  #text = "";
  #level: number | undefined;
  #isText = false;
  #isItem = false;
  #skipped = 0;
  /** The cells of the row that is being read; rows may have tables within. */
  readonly #rows: string[][] = [];

  constructor(levels: ReadonlyMap<string, number>) {
    this.#levels = levels;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#open(name, attributes["w:val"] ?? ""),
        ontext: (text) => {
          if (this.#isText && this.#skipped === 0) this.#text += text;
        },
        onclosetag: (name) => this.#close(name),
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  write(xml: string): readonly Block[] {
    this.#parser.write(xml);
    return this.#blocks.splice(0);
  }

  #open(name: string, value: string): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) this.#skipped += 1;
    else if (name === "w:t") this.#isText = true;
    else if (name === "w:tab") this.#text += "\t";
    else if (name === "w:br" || name === "w:cr") this.#text += "\n";
    else if (name === "w:noBreakHyphen") this.#text += "-";
    else if (name === "w:pStyle") this.#level = this.#levels.get(value);
    else if (name === "w:outlineLvl" && /^[0-8]$/.test(value)) this.#level = Number(value) + 1;
    else if (name === "w:numPr") this.#isItem = true;
    else if (name === "w:tr") this.#rows.push([]);
    else if (name === "w:tc") this.#rows.at(-1)?.push("");
  }

  #close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    if (name === "w:t") this.#isText = false;
    else if (name === "w:p") this.#endParagraph();
    else if (name === "w:tr") {
      const text = (this.#rows.pop() ?? []).map((cell) => cell.trim()).join(" | ");
      if (/[^\s|]/.test(text)) this.#put({ kind: "text", text });
    }
  }

  #endParagraph(): void {
    const text = this.#text.trim();
    const level = this.#level;
    const prefix = this.#isItem && level === undefined ? "- " : "";
    this.#text = "";
    this.#level = undefined;
    this.#isItem = false;
    if (text === "") return;
    this.#put(level === undefined ? { kind: "text", text: prefix + text } : { kind: "heading", level, text });
  }

  /** Within a table it becomes a part of its cell. */
  #put(block: Block): void {
    const row = this.#rows.at(-1);
    if (row === undefined || row.length === 0) this.#blocks.push(block);
    else row[row.length - 1] = `${row.at(-1)} ${block.text}`.trim();
  }
}
