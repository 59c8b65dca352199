import { describe, expect, test } from "vitest";
import { spokenLanguage } from "../../src/carriers/spoken-language.ts";
import { xmlElement, xmlResponse, xmlText } from "../../src/carriers/xml.ts";
import { parseXml } from "../support/telephony/parse-xml.ts";

describe("a text in a document", () => {
  test.each([
    ['O\'Brien & <Sons> "Ltd"', "O&apos;Brien &amp; &lt;Sons&gt; &quot;Ltd&quot;"],
    ["a\r\nb\tc", "a b c"],
    ["\u0000\u001b", " "],
    ["\u2028\ufffe\uffff", " "],
    ["\ud83d", "\ufffd"],
    ["\ud83d\ude00 gr\u00fc\u00df", "\ud83d\ude00 gr\u00fc\u00df"],
    ["&amp;", "&amp;amp;"],
    ["", ""],
  ])("%j is written %j", (text, written) => {
    expect(xmlText(text)).toBe(written);
  });

  test("is what a parser reads, in an attribute and in an element", () => {
    const text = "a&b<c>d\"e'f";
    const root = parseXml(xmlResponse(xmlElement("Say", { language: text, voice: undefined }, xmlText(text))));
    expect(root).toEqual({
      name: "Response",
      attributes: {},
      children: [{ name: "Say", attributes: { language: text }, children: [text] }],
    });
  });
});

describe("the parser of the tests", () => {
  const declared = (text: string) => `<?xml version="1.0" encoding="UTF-8"?>${text}`;

  test.each([
    "<Response/>",
    declared(""),
    declared("text"),
    declared("<A>"),
    declared("<A></B>"),
    declared("<A/><B/>"),
    declared("<A>&</A>"),
    declared("<A>&nbsp;</A>"),
    declared("<A>></A>"),
    declared('<A b="&"/>'),
    declared('<A b="<"/>'),
    declared('<A b="1" b="2"/>'),
    declared("<A b='1'/>"),
    declared("<!-- --><A/>"),
    declared("<A><![CDATA[x]]></A>"),
    declared("<A>\n</A>"),
    declared("<A>\ufffe</A>"),
  ])("refuses %j", (text) => {
    expect(() => parseXml(text)).toThrow();
  });
});

test.each([
  ["de-AT", "de-DE"],
  ["EN-us", "en-US"],
  ["en", "en-GB"],
  ["xx", undefined],
  ["", undefined],
  [undefined, undefined],
])("a text in %s is spoken in %s", (language, expected) => {
  expect(spokenLanguage(language, ["en-GB", "en-US", "de-DE"])).toBe(expected);
});
