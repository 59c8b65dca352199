import { expect, test } from "vitest";
import { printable, Terminal, table } from "../../../src/cli/terminal.ts";

function show(colour: boolean): string {
  let text = "";
  const terminal = new Terminal({ write: (part) => (text += part), colour });
  terminal.note("a call");
  terminal.begin(1_000);
  terminal.show({ kind: "agent-began", atMs: 1_500, latencyMs: undefined });
  terminal.show({ kind: "word", who: "agent", atMs: 1_800, word: "Hello" });
  terminal.show({ kind: "word", who: "agent", atMs: 2_100, word: "there." });
  terminal.show({ kind: "caller-began", atMs: 2_200, overAgent: true });
  terminal.show({ kind: "word", who: "caller", atMs: 2_200, word: "Wait." });
  terminal.show({ kind: "agent-silenced", atMs: 3_000, stoppedAfterMs: 239.6 });
  terminal.show({ kind: "agent-began", atMs: 13_600, latencyMs: 600.4 });
  terminal.show({ kind: "word", who: "agent", atMs: 13_900, word: "Yes?" });
  terminal.note("over");
  return text;
}

test("each turn is a line that grows word by word, with the time of its first word", () => {
  expect(show(false)).toBe(`a call
   0.8 s  agent    Hello there.
           the caller interrupts
   1.2 s  caller   Wait.
           the agent fell silent 240 ms into the interruption
           reply after 600 ms
  12.9 s  agent    Yes?
over
`);
});

test("colours do not change the text, and are omitted without a terminal", () => {
  const coloured = show(true);
  expect(coloured).toContain("\x1b[36magent   \x1b[0m");
  const colours = ["\x1b[36m", "\x1b[33m", "\x1b[2m", "\x1b[0m"];
  expect(colours.reduce((text, colour) => text.replaceAll(colour, ""), coloured)).toBe(show(false));
});

test("messages of the service that are not audible are shown", () => {
  let text = "";
  const terminal = new Terminal({ write: (part) => (text += part), colour: false });
  terminal.show({ kind: "word", who: "caller", atMs: 0, word: "When?" });
  terminal.showServiceMessage({ type: "state", state: "thinking" });
  terminal.showServiceMessage({ type: "transcript", role: "user", text: "Whe", final: false, turnId: 2 });
  terminal.showServiceMessage({ type: "transcript", role: "user", text: "When?", final: true, turnId: 2 });
  terminal.showServiceMessage({ type: "transcript", role: "agent", text: "Now.", final: true, turnId: 3 });
  terminal.showServiceMessage({ type: "error", code: "unknown_type", message: "there is no such message" });
  terminal.showServiceMessage({ type: "ended", reason: "agent_hangup" });
  expect(text).toBe(`   0.0 s  caller   When?
           understood as: When?
           the service reports unknown_type: there is no such message
           the service ends the call: agent_hangup
`);
});

test("text of the other end cannot control the terminal", () => {
  const evil = "a\x1b[2Jb\x07c\x9b1md\re";
  let text = "";
  const terminal = new Terminal({ write: (part) => (text += part), colour: false });
  terminal.show({ kind: "word", who: "agent", atMs: 0, word: evil });
  terminal.showServiceMessage({ type: "transcript", role: "user", text: evil, final: true, turnId: 1 });
  terminal.showServiceMessage({ type: "error", code: evil, message: evil });
  expect(text.replaceAll(/[\P{Cc}\n]/gu, "")).toBe("");
  expect(printable(`${evil}\n\té`)).toBe("a\ufffd[2Jb\ufffdc\ufffd1md\ufffde\n\té");
});

test("a table's columns are as wide as their widest cell", () => {
  expect(
    table([
      ["turn", "ms"],
      ["1", "600"],
      ["2", "-"],
    ]),
  ).toBe("turn  ms\n1     600\n2     -");
});
