import { expect, test } from "vitest";
import { parseXml } from "../../../src/simulator/emulator/xml.ts";

test("elements, attributes, texts and entities are read; comments and declarations are not kept", () => {
  const document = `<?xml version="1.0"?>
    <!-- hello -->
    <Response><Dial action="https://a.example/x?y=1&amp;z=2" timeout='20'>
      <Number>+1 &#50;02 &lt;555&gt;</Number><![CDATA[&amp;]]></Dial><Hangup/></Response>`;
  expect(parseXml(document)).toEqual({
    name: "Response",
    attributes: {},
    text: "",
    children: [
      {
        name: "Dial",
        attributes: { action: "https://a.example/x?y=1&z=2", timeout: "20" },
        text: "&amp;",
        children: [{ name: "Number", attributes: {}, text: "+1 202 <555>", children: [] }],
      },
      { name: "Hangup", attributes: {}, text: "", children: [] },
    ],
  });
});

test.each([
  ["an element that is not closed", "<Response><Say>x</Response>"],
  ["an end without a beginning", "</Response>"],
  ["two roots", "<A/><B/>"],
  ["no root", "  "],
  ["text outside of the root", "<A/>text"],
  ["an unknown entity", "<A>&copy;</A>"],
  ["an ampersand that is not escaped", "<A url='x?a=1&b=2'/>"],
  ["a character that does not exist", "<A>&#x110000;</A>"],
  ["an attribute without quotes", "<A b=c/>"],
  ["a document type", "<!DOCTYPE a><A/>"],
  ["HTML that is no XML", "<p>Bad <b>gateway</p>"],
])("%s is refused", (_, document) => {
  expect(() => parseXml(document)).toThrow(/^the document/);
});
