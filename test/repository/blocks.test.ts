import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { blocksOf, documentedPages, exampleIn, placeOf, readBlocks, stepsOf } from "../support/docs/blocks.ts";
import { CHECKED_EXAMPLES } from "../support/docs/checked-examples.ts";
import { missingOutput } from "../support/docs/shown-output.ts";
import { skippedText } from "../support/skipped-tests-reporter.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const NOT_RUN_MAX = 5;
const LANGUAGES = ["css", "html", "js", "json", "mermaid", "nginx", "sh", "text", "ts"];

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;

describe("the blocks of the pages", () => {
  const pages = documentedPages();
  const read = pages.map(readBlocks);
  const blocks = read.flatMap((page) => page.blocks);

  test("are many, of README.md, the pages under docs and deploy, and CONTRIBUTING.md", () => {
    expect(blocks.filter(({ language }) => language === "sh").length).toBeGreaterThan(20);
    for (const page of ["README.md", "CONTRIBUTING.md", "docs/api.md", "deploy/README.md"]) {
      expect(blocks.some((block) => block.page === page && block.language === "sh")).toBe(true);
    }
  });

  test("name their language: sh for commands, text for output", () => {
    expect(blocks.filter(({ language }) => !LANGUAGES.includes(language)).map(placeOf)).toEqual([]);
  });

  test(`are all run, except at most ${NOT_RUN_MAX} that say why not`, () => {
    const notRun = blocks.flatMap((block) => (block.noRun === undefined ? [] : [`${placeOf(block)}: ${block.noRun}`]));
    console.log(`Blocks of the documentation that no test runs:\n${notRun.map((line) => `  ${line}`).join("\n")}`);
    expect(notRun.length).toBeLessThanOrEqual(NOT_RUN_MAX);
  });

  test("have a mark `no-run` only directly before a block of commands or a program", () => {
    expect(read.flatMap(({ strayMarks }) => strayMarks)).toEqual([]);
    const marked = blocks.filter(({ noRun }) => noRun !== undefined);
    expect(marked.filter(({ language }) => language !== "sh" && language !== "ts").map(placeOf)).toEqual([]);
  });

  test("are commands, their output, programs, or examples that a named test reads", () => {
    const examples = read.flatMap((page) => stepsOf(page.blocks)).filter(({ kind }) => kind === "example");
    const nameOf = (example: { page: string; heading: string; language: string }): string =>
      `${example.page}, ${example.heading}: ${example.language}`;
    expect(examples.map(({ block }) => nameOf(block)).toSorted()).toEqual(CHECKED_EXAMPLES.map(nameOf).toSorted());
    for (const { page, heading, language, test: path } of CHECKED_EXAMPLES) {
      const text = readFileSync(new URL(`../${path}`, import.meta.url), "utf8").replaceAll(/\s+/g, " ");
      const reads = `exampleIn("${page}", "${heading}", "${language}")`;
      expect(text.includes(reads), `${path} has ${reads}`).toBe(true);
    }
  });
});

describe("an example", () => {
  test("of PHRASES_FILE in docs/languages.md is read by the configuration", () => {
    const path = join(temporaryDirectory(), "phrases.json");
    writeFileSync(path, exampleIn("docs/languages.md", "Your own phrases: PHRASES_FILE", "json"));
    const { phrases } = readConfig({ STT: "reference", TTS: "reference", PHRASES_FILE: path });
    expect(phrases.sw?.inactivity).toBe("Bado upo hapo?");
  });

  test("of TOOL_SECRET_BINDINGS in docs/tools.md is read by the configuration, and rejected without its secret", () => {
    const env = {
      STT: "reference",
      TTS: "reference",
      TOOL_SECRET_BINDINGS: exampleIn("docs/tools.md", "Secrets", "json"),
    };
    expect(() => readConfig({ ...env, TOOL_SECRET_SHOP_TOKEN: "x" })).not.toThrow();
    expect(() => readConfig(env)).toThrow(/SHOP_TOKEN/);
  });

  test("of the last lines of a run in docs/testing.md is what the reporter writes", () => {
    const names = ["openssl", "openssl", "openssl", "openssl", "sox"].map(
      (tool) => `a (only where ${tool} is installed)`,
    );
    expect(skippedText(names)).toBe(exampleIn("docs/testing.md", "What must be installed", "text"));
  });
});

describe("the reader of blocks", () => {
  test("finds the heading, the language, the place and the mark of a block, and takes off the indentation of a list", () => {
    const page = `# A\n\n## B\n\n1. x\n\n   <!-- no-run: why -->\n   \`\`\`sh\n   a\n     b\n   \`\`\`\n`;
    expect(blocksOf("p.md", page)).toEqual({
      blocks: [
        {
          ...{ page: "p.md", line: 8, heading: "B", language: "sh", text: "a\n  b", noRun: "why" },
          prose: "# A\n\n## B\n\n1. x\n\n   <!-- no-run: why -->",
        },
      ],
      strayMarks: [],
    });
  });

  test("gives each block the prose since the one before it", () => {
    const { blocks } = blocksOf(
      "p.md",
      `First:\n${fenced("sh", "a")}${fenced("text", "b")}Then:\n${fenced("sh", "c")}`,
    );
    expect(blocks.map(({ text, prose }) => [text, prose])).toEqual([
      ["a", "First:"],
      ["b", ""],
      ["c", "Then:"],
    ]);
  });

  test("reports a mark whose block is gone, and a block without an end", () => {
    const page = `<!-- no-run: why -->\n\n${fenced("sh", "a")}<!-- no-run: why -->\n`;
    expect(blocksOf("p.md", page).strayMarks).toEqual(["p.md:1", "p.md:6"]);
    expect(() => blocksOf("p.md", "```sh\na\n")).toThrow("p.md:1: the block has no end");
  });

  test("takes a block of text directly after commands or a program as the output, and another one as an example", () => {
    const page =
      fenced("sh", "a") +
      fenced("text", "shown") +
      fenced("text", "other") +
      fenced("ts", "b") +
      fenced("text", "written");
    const steps = stepsOf(blocksOf("p.md", page).blocks);
    expect(steps.map((step) => [step.kind, step.block.text, step.kind === "example" ? [] : step.shown])).toEqual([
      ["commands", "a", ["shown"]],
      ["example", "other", []],
      ["program", "b", ["written"]],
    ]);
  });

  test("takes further blocks of text as what the same commands have shown, where the page names a terminal", () => {
    const page =
      fenced("sh", "a") +
      fenced("text", "shown") +
      `The second terminal shows:\n${fenced("text", "received")}` +
      `An example:\n${fenced("text", "other")}` +
      `The first terminal:\n${fenced("text", "another")}`;
    const steps = stepsOf(blocksOf("p.md", page).blocks);
    expect(steps.map((step) => [step.kind, step.block.text, step.kind === "example" ? [] : step.shown])).toEqual([
      ["commands", "a", ["shown", "received"]],
      ["example", "other", []],
      ["example", "another", []],
    ]);
  });
});

describe("output that a page shows", () => {
  const OUTPUT = "begin\nCall call_1 created\n\nagent    Hello.\nend\n";

  test.each([
    ["a part of a line", "created"],
    ["lines that follow each other, however many spaces they have", "Call call_… created\nagent Hello."],
    ["lines with others between them", "begin\n…\nend"],
  ])("may be %s", (_, shown) => {
    expect(missingOutput(shown, OUTPUT)).toBe("");
  });

  test.each([
    ["a line that was not written", "agent Goodbye.", "agent Goodbye."],
    ["lines in another order", "end\n…\nbegin", "begin"],
    ["lines that do not follow each other", "begin\nend", "begin\nend"],
    ["one line twice", "begin\n…\nbegin", "begin"],
  ])("is missing if it is %s", (_, shown, missing) => {
    expect(missingOutput(shown, OUTPUT)).toBe(missing);
  });
});
