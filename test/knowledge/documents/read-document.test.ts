import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import type { Chunk } from "../../../src/core/knowledge/chunks.ts";
import { DOCUMENT_PAGES_MAX } from "../../../src/core/limits/knowledge/corpora.ts";
import type { IngestAnswer } from "../../../src/knowledge/documents/ingester.ts";
import { readDocument } from "../../../src/knowledge/documents/read-document.ts";
import { docxFile, docxParagraph, docxRow } from "../../support/knowledge/docx-files.ts";
import { fileOf, pdfFile } from "../../support/knowledge/pdf-files.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

async function read(
  content: string | Buffer,
  name = "document",
): Promise<{ answer: IngestAnswer; chunks: readonly Chunk[] }> {
  const folder = temporaryDirectory();
  const [path, chunksPath] = [join(folder, "file"), join(folder, "chunks")];
  writeFileSync(path, content);
  const answer = await readDocument({ path, chunksPath, name, languageId: "en" });
  const lines = answer.kind === "read" ? readFileSync(chunksPath, "utf8").trim().split("\n") : [];
  return { answer, chunks: lines.map((line) => JSON.parse(line)) };
}

test("a file that is missing is the document's failure", async () => {
  const folder = temporaryDirectory();
  const task = { path: join(folder, "file"), chunksPath: join(folder, "chunks"), name: "document", languageId: "en" };
  expect(await readDocument(task)).toEqual(failed("document_unavailable", /deleted/));
});

const said = (chunks: readonly Chunk[]): readonly string[] =>
  chunks.map(({ headings, text }) => [...headings, text].join(" > "));

const failed = (code: string, message: RegExp) => ({
  kind: "failed",
  failure: { code, message: expect.stringMatching(message) },
});

describe("plain text", () => {
  test("is divided by blank lines, whatever the line ends", async () => {
    const { answer, chunks } = await read("First\r\nparagraph.\r\n\r\nSecond.\n");
    expect(said(chunks)).toEqual(["First\nparagraph.\n\nSecond."]);
    expect(answer).toMatchObject({ kind: "read", facts: { format: "text", chunks: 1, characters: 25, bytes: 29 } });
  });

  test.each([
    ["UTF-8", Buffer.from("Größe: 5 Öl")],
    ["UTF-16 with its mark", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Größe: 5 Öl", "utf16le")])],
    ["Windows-1252", Buffer.from("Größe: 5 Öl", "latin1")],
  ])("is decoded from %s", async (_, bytes) => {
    expect(said((await read(bytes)).chunks)).toEqual(["Größe: 5 Öl"]);
  });

  test("without any character is no text", async () => {
    expect((await read(" \n\n ")).answer).toEqual(failed("no_text", /no text/));
  });
});

test("Markdown: headings, lists, tables, links and HTML become text", async () => {
  const markdown = `# Pumps

Our **pumps** are [good](https://x.example).

## Sizes

- small
  - very small
- large

| size | price |
| --- | --- |
| small | 5 |

<div onclick="x()">Inside <b>HTML</b><script>alert(1)</script></div>

\`\`\`
code --flag
\`\`\`
`;
  const { answer, chunks } = await read(markdown, "pumps.md");
  expect(answer).toMatchObject({ facts: { format: "markdown" } });
  expect(said(chunks)).toEqual([
    "Pumps > Our pumps are good.",
    "Pumps > Sizes > - small\n\n- very small\n\n- large\n\nsize | price\n\nsmall | 5\n\nInside HTML\n\ncode --flag",
  ]);
});

describe("HTML", () => {
  test("has headings and paragraphs, and no scripts, styles, hidden text or attributes", async () => {
    const html = `<!doctype html><html><head><title>T</title><style>p{}</style></head><body>
      <nav>Menu</nav><h1>Pumps</h1><p>Our <b>pumps</b> &amp; hoses.<br>They last.<p>Second
      <p hidden>secret</p><script>var canary = "</p>"</script>
      <ul><li>small<li>large</ul><table><tr><th>size<th>price<tr><td>1<td>2</table></body></html>`;
    const { answer, chunks } = await read(html, "page");
    expect(answer).toMatchObject({ facts: { format: "html" } });
    expect(said(chunks)).toEqual([
      "Menu",
      "Pumps > Our pumps & hoses.\nThey last.\n\nSecond\n\n- small\n\n- large\n\nsize | price\n\n1 | 2",
    ]);
  });

  test("is decoded as it says", async () => {
    const page = Buffer.from('<html><head><meta charset="windows-1251"></head><p>\xcd\xe0\xf1\xee\xf1</p>', "latin1");
    expect(said((await read(page)).chunks)).toEqual(["Насос"]);
  });

  test("may be nested without end", async () => {
    expect(said((await read(`<html>${"<div>".repeat(200_000)}deep`)).chunks)).toEqual(["deep"]);
  });
});

describe("DOCX", () => {
  test("has headings by their styles, tables and footnotes", async () => {
    const body =
      docxParagraph("Pumps", "berschrift1") +
      docxParagraph("Our pumps & hoses.") +
      docxParagraph("Sizes", "Sub") +
      `<w:tbl>${docxRow(["size", "price"])}${docxRow(["small", "5"])}</w:tbl>` +
      "<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>";
    const footnotes = `<w:footnotes><w:footnote>${docxParagraph("A note.")}</w:footnote></w:footnotes>`;
    const { answer, chunks } = await read(docxFile(body, { parts: { "word/footnotes.xml": footnotes } }));
    expect(answer).toMatchObject({ facts: { format: "docx" } });
    expect(said(chunks)).toEqual([
      "Pumps > Our pumps & hoses.",
      "Pumps > Sizes > size | price\n\nsmall | 5\n\nkept\n\nA note.",
    ]);
  });

  test("resolves no entity, neither of files nor of bombs", async () => {
    const head =
      '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>';
    const body = "<w:p><w:r><w:t>before &file; &b; after</w:t></w:r></w:p>";
    const { chunks } = await read(docxFile(body, { head }));
    expect(said(chunks)).toEqual(["before &file; &b; after"]);
  });

  test("that inflates to too much fails before it is inflated", async () => {
    const bomb = zipSync({ "word/document.xml": Buffer.alloc(65 * 1024 ** 2) });
    expect(bomb.length).toBeLessThan(100_000);
    expect((await read(Buffer.from(bomb))).answer).toEqual(failed("too_complex", /inflates to more than/));
  });

  test("that lies about its size inflates to no more than it says", async () => {
    const archive = Buffer.from(zipSync({ "word/document.xml": Buffer.alloc(30 * 1024 ** 2, "x") }));
    const central = archive.lastIndexOf("PK\u0001\u0002", undefined, "latin1");
    archive.writeUInt32LE(10, central + 24);
    expect((await read(archive)).answer).toEqual(failed("no_text", /no text/));
  });

  test.each([
    ["an archive of something else", Buffer.from(zipSync({ "a.txt": Buffer.from("a") })), "unsupported_format"],
    ["a cut archive", docxFile(docxParagraph("a")).subarray(0, 200), "unreadable"],
  ])("%s is refused", async (_, file, code) => {
    expect((await read(file)).answer).toEqual(failed(code, /./));
  });
});

describe("PDF", () => {
  test("has headings by the size of their letters, paragraphs, and pages", async () => {
    const file = pdfFile([
      [
        { text: "Pumps", size: 22 },
        { text: "Our pumps last for years, and all have a guaran-", gap: 30 },
        { text: "tee of five years." },
        { text: "Hoses (of rubber) have none.", gap: 26 },
      ],
      [{ text: "Sizes", size: 14 }, { text: "There are two sizes of pumps in the catalogue." }],
    ]);
    const { answer, chunks } = await read(file, "catalogue.pdf");
    expect(answer).toMatchObject({ facts: { format: "pdf", pages: 2 } });
    expect(chunks).toMatchObject([
      {
        headings: ["Pumps"],
        page: 1,
        text: "Our pumps last for years, and all have a guarantee of five years.\n\nHoses (of rubber) have none.",
      },
      { headings: ["Pumps", "Sizes"], page: 2, text: "There are two sizes of pumps in the catalogue." },
    ]);
  });

  test("with a password is encrypted", async () => {
    const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> /P -4 >> /ID [<00><00>] `;
    const file = fileOf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 0 /Kids [] >>"], encrypt);
    expect((await read(file)).answer).toEqual(failed("encrypted", /without a password/));
  });

  test("of scans only has no text", async () => {
    expect((await read(pdfFile([[], []]))).answer).toEqual(failed("no_text", /OCR/));
  });

  test("with too many pages fails without reading them", async () => {
    const pages = Array.from({ length: DOCUMENT_PAGES_MAX + 1 }, () => []);
    expect((await read(pdfFile(pages))).answer).toEqual(failed("too_many_pages", /5001 pages/));
  });

  test.each([
    ["that is cut", pdfFile([[{ text: "a" }]]).subarray(0, 60)],
    [
      "whose pages refer to themselves",
      fileOf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [2 0 R] >>"]),
    ],
  ])("%s is damaged, or has no text", async (_, file) => {
    const { answer } = await read(file);
    expect(answer).toMatchObject({ kind: "failed", failure: { code: expect.stringMatching(/unreadable|no_text/) } });
  });
});

describe("what a file is", () => {
  test.each([
    ["a picture with the name of a PDF", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
    ["an old Word file", Buffer.from("d0cf11e0a1b11ae1000000000000000000", "hex")],
    ["random bytes", Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 37) % 256))],
  ])("%s is not believed", async (_, file) => {
    expect((await read(file, "catalogue.pdf")).answer).toEqual(failed("unsupported_format", /file is/));
  });

  test("D6: is found quickly, whatever its beginning", async () => {
    const comments = "<!---->".repeat(200);
    expect((await read(`${comments}x`)).answer).toMatchObject({ facts: { format: "text" } });
    expect((await read(`<!-- a --><?xml version="1.0"?>\n<!DOCTYPE html><p>page`)).answer).toMatchObject({
      facts: { format: "html" },
    });
  });

  test("decides over the end of its name", async () => {
    expect((await read(pdfFile([[{ text: "Text of a page." }]]), "notes.txt")).answer).toMatchObject({
      facts: { format: "pdf" },
    });
  });
});
