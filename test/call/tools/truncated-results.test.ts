import { expect, test } from "vitest";
import { Conversation } from "../../../src/call/conversation.ts";
import type { CallCommand } from "../../../src/call/events.ts";
import { Transcript } from "../../../src/call/transcript.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/speech/contracts.ts";
import { SPEC } from "../../support/calls/virtual-call.ts";

const ALL_CHARS = 16_000;

/** A conversation with a tool result that is too long for any prompt. */
function scene() {
  const trims: Extract<CallCommand, { kind: "conversation-trimmed" }>[] = [];
  const conversation = new Conversation(
    { ...SPEC, tools: [] },
    (command) => {
      if (command.kind === "conversation-trimmed") trims.push(command);
    },
    new Transcript(() => {}),
    4_000,
  );
  conversation.addUtterance({ text: "What is there?", startMs: callMs(0), endMs: callMs(1_000) });
  conversation.settle();
  conversation.addToolRounds([
    {
      request: { role: "assistant", text: "", toolCalls: [{ id: "1", name: "list", argumentsJson: "{}" }] },
      results: [{ role: "tool", toolCallId: asToolCallId("1"), name: "list", text: "1".repeat(ALL_CHARS) }],
    },
  ]);
  return { conversation, trims };
}

const resultIn = (messages: readonly Message[]): string => messages.find(({ role }) => role === "tool")?.text ?? "";

test("ADV-H3: a tool result stays truncated: it is recorded once, and later prompts begin with the same text", () => {
  const { conversation, trims } = scene();
  const prompts = [1, 2, 3, 4].map((turnId) => conversation.prompt(asTurnId(turnId), []));
  expect(trims).toMatchObject([{ turnId: 1, droppedTurns: 0, droppedMessages: 0, truncatedResults: 1 }]);
  expect(resultIn(prompts[0] ?? [])).toMatch(new RegExp(`of ${ALL_CHARS} characters are shown`));
  for (const prompt of prompts) expect(prompt).toEqual(prompts[0]);
});

test("ADV-H3: a result that is truncated further later still names its first length, and is recorded again", () => {
  const { conversation, trims } = scene();
  const first = resultIn(conversation.prompt(asTurnId(1), []));
  conversation.limitPrompt(1_000);
  const second = resultIn(conversation.prompt(asTurnId(2), []));
  expect(second.length).toBeLessThan(first.length);
  expect(second).toMatch(new RegExp(`of ${ALL_CHARS} characters are shown`));
  conversation.prompt(asTurnId(3), []);
  expect(trims.map(({ turnId, truncatedResults }) => [turnId, truncatedResults])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test("ADV-H3: what a running reply adds to its prompt is not added twice", () => {
  const { conversation } = scene();
  const question: Message = { role: "user", text: "And what else?" };
  conversation.addUtterance({ text: question.text, startMs: callMs(2_000), endMs: callMs(3_000) });
  const ofTools: Message[] = [{ role: "assistant", text: "One moment." }];
  for (const turnId of [2, 2, 2]) {
    const prompt = conversation.prompt(asTurnId(turnId), ofTools);
    expect(prompt.slice(-2)).toEqual([question, ...ofTools]);
    expect(prompt.filter(({ text }) => text === question.text)).toHaveLength(1);
  }
});
