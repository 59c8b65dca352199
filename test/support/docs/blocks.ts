import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A fenced block of a page. */
export interface Block {
  /** The page's path within the repository. */
  page: string;
  /** Of its opening fence, from 1. */
  line: number;
  /** The heading that it stands under; empty before the first one. */
  heading: string;
  /** What follows the opening fence: `sh`, `text`, `json`, ...; empty without one. */
  language: string;
  /** Its lines, without the indentation of a list. */
  text: string;
  /** The lines between the block before it, or the beginning of the page, and this one. */
  prose: string;
  /** The reason of the mark `<!-- no-run: reason -->` on the line before it. */
  noRun: string | undefined;
}

/** A page's blocks, and the marks that stand before none. */
export interface PageBlocks {
  blocks: Block[];
  /** `page:line` of each. */
  strayMarks: string[];
}

const FENCE = /^( *)```(\w*)\s*$/;
const MARK = /^ *<!-- no-run: (.+?) -->\s*$/;

/** Reads the fenced blocks of a page. Throws when the last one has no end. */
export function blocksOf(page: string, markdown: string): PageBlocks {
  const found: PageBlocks = { blocks: [], strayMarks: [] };
  const lines = markdown.split("\n");
  let heading = "";
  let prose: string[] = [];
  let mark: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, indent, language = ""] = FENCE.exec(line) ?? [];
    if (mark !== undefined && indent === undefined) found.strayMarks.push(`${page}:${at}`);
    if (indent !== undefined) {
      const end = lines.findIndex((one, index) => index > at && one.trim() === "```");
      if (end === -1) throw new Error(`${page}:${at + 1}: the block has no end`);
      const text = lines.slice(at + 1, end).map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
      const about = { page, line: at + 1, heading, language, prose: prose.join("\n") };
      found.blocks.push({ ...about, text: text.join("\n"), noRun: mark });
      prose = [];
      at = end;
    } else prose.push(line);
    mark = indent === undefined ? MARK.exec(line)?.[1] : undefined;
    heading = /^#+ +(.+?) *$/.exec(line)?.[1] ?? heading;
  }
  if (mark !== undefined) found.strayMarks.push(`${page}:${lines.length}`);
  return found;
}

/** The pages whose blocks are tested: all but the figures that the benches write, and the tree of fixtures. */
export function documentedPages(): string[] {
  const under = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  return ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "bench/README.md", ...under("deploy"), ...under("docs")];
}

/** The blocks of a page of the repository, by its path there. */
export const readBlocks = (page: string): PageBlocks => blocksOf(page, readFileSync(join(ROOT, page), "utf8"));

/** `page:line`, for titles and messages. */
export const placeOf = ({ page, line }: Block): string => `${page}:${line}`;

/** Commands or a program, with what the page shows after them, or an example of another kind. */
export type Step =
  | { kind: "commands" | "program"; block: Block; shown: readonly string[] }
  | { kind: "example"; block: Block };

const KINDS: Readonly<Record<string, "commands" | "program">> = { sh: "commands", ts: "program" };
/** How a page says that a further block `text` is what the same commands have shown in another terminal. */
const OTHER_TERMINAL = /\b(?:first|second|third|fourth) terminal\b/;

/**
 * Blocks in the order of a reader. A block `text` directly after one of commands, or a program, is its output, and so are those that
 * follow it where the text before them names a terminal.
 */
export function stepsOf(blocks: readonly Block[]): Step[] {
  const steps: Step[] = [];
  let shown: string[] | undefined;
  for (const block of blocks) {
    const kind = KINDS[block.language];
    const isFurther = shown !== undefined && shown.length > 0;
    if (kind !== undefined) {
      shown = [];
      steps.push({ kind, block, shown });
    } else if (shown !== undefined && block.language === "text" && (!isFurther || OTHER_TERMINAL.test(block.prose))) {
      shown.push(block.text);
    } else {
      shown = undefined;
      if (block.language !== "mermaid") steps.push({ kind: "example", block });
    }
  }
  return steps;
}

/** The only example in this language under a heading of a page. Throws when there is none, or more than one. */
export function exampleIn(page: string, heading: string, language: string): string {
  const fits = stepsOf(readBlocks(page).blocks).filter(
    ({ kind, block }) => kind === "example" && block.heading === heading && block.language === language,
  );
  const [step] = fits;
  if (step === undefined || fits.length > 1) {
    throw new Error(`${page} has ${fits.length} examples in ${language} under "${heading}", not one`);
  }
  return step.block.text;
}
