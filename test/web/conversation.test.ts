import { expect, test } from "vitest";
import { Conversation } from "../../web/ui/conversation.ts";

const agent = (text: string, final = false, turnId = "2") => ({ role: "agent", text, final, turnId }) as const;
const shown = (conversation: Conversation): string[][] =>
  conversation.turns.map(({ sentences }) => sentences.map(({ text, progress }) => `${progress}: ${text.trim()}`));

test("a sentence is generated, sent while it is spoken, and heard when its mark was played", () => {
  const conversation = new Conversation();
  conversation.transcript(agent("Hello. "));
  conversation.transcript(agent("Hello. How are you?"));
  expect(shown(conversation)).toEqual([["generated: Hello.", "generated: How are you?"]]);
  conversation.speaking(true);
  expect(shown(conversation)).toEqual([["sent: Hello.", "generated: How are you?"]]);
  conversation.mark({ name: "turn_1.0", played: false });
  expect(shown(conversation)).toEqual([["sent: Hello.", "sent: How are you?"]]);
  conversation.mark({ name: "turn_1.0", played: true });
  expect(shown(conversation)).toEqual([["heard: Hello.", "sent: How are you?"]]);
  conversation.transcript(agent("Hello. How are you?", true));
  expect(shown(conversation)).toEqual([["heard: Hello.", "heard: How are you?"]]);
});

test("the final text of an interrupted turn says what was heard, in part, and not", () => {
  const conversation = new Conversation();
  conversation.transcript(agent("One two. Three four. Five six."));
  conversation.transcript(agent("One two.  Three", true));
  expect(shown(conversation)).toEqual([["heard: One two.", "cut: Three four.", "unheard: Five six."]]);
  expect(conversation.mark({ name: "turn_1.2", played: true })).toBeUndefined();
});

test("marks of the next turn do not count for the one before", () => {
  const conversation = new Conversation();
  conversation.transcript(agent("One."));
  conversation.mark({ name: "turn_1.0", played: false });
  conversation.transcript(agent("One.", true));
  conversation.transcript({ role: "user", text: "And?", final: true, turnId: "3" });
  conversation.transcript(agent("Two.", false, "4"));
  conversation.mark({ name: "turn_1.0", played: true });
  expect(shown(conversation)[2]).toEqual(["generated: Two."]);
  conversation.mark({ name: "turn_2.0", played: true });
  expect(shown(conversation)[2]).toEqual(["heard: Two."]);
});

test("the delay belongs to the turn that is spoken, also where its words come later", () => {
  const conversation = new Conversation();
  conversation.delay(640);
  conversation.transcript({ role: "user", text: "Hm", final: false, turnId: "1" });
  conversation.transcript(agent("Yes?"));
  expect(conversation.turns.map(({ delayMs }) => delayMs)).toEqual([undefined, 640]);
  conversation.delay(700);
  expect(conversation.turns[1]?.delayMs).toBe(700);
});

test("a turn that was none disappears; a text that shrinks is taken as it is", () => {
  const conversation = new Conversation();
  conversation.transcript({ role: "user", text: "Hello", final: false, turnId: "1" });
  conversation.transcript({ role: "user", text: "", final: true, turnId: "1" });
  expect(conversation.turns).toEqual([]);
  conversation.transcript(agent("One. Two."));
  conversation.transcript(agent("One."));
  expect(shown(conversation)).toEqual([["generated: One."]]);
  conversation.transcript(agent("", true));
  expect(shown(conversation)).toEqual([["unheard: One."]]);
});

test("at the end of the call the sentence that was spoken is cut, and later ones were not heard", () => {
  const conversation = new Conversation();
  conversation.transcript(agent("One."));
  conversation.transcript(agent("One. Two. Three."));
  conversation.speaking(true);
  conversation.mark({ name: "turn_1.0", played: true });
  conversation.end();
  expect(shown(conversation)).toEqual([["heard: One.", "cut: Two.", "unheard: Three."]]);
});

test("short sentences that the service speaks as one segment come as far as their one mark", () => {
  const conversation = new Conversation();
  conversation.transcript(agent("Yes. Sure. Of course."));
  conversation.transcript(agent("Yes. Sure. Of course. We are open from eight to six every day."));
  conversation.mark({ name: "turn_1.0", played: false });
  conversation.mark({ name: "turn_1.0", played: true });
  expect(shown(conversation)).toEqual([
    ["heard: Yes.", "heard: Sure.", "heard: Of course.", "generated: We are open from eight to six every day."],
  ]);
  conversation.mark({ name: "turn_1.1", played: false });
  expect(shown(conversation)[0]?.at(-1)).toBe("sent: We are open from eight to six every day.");
});

test("a sentence that the service cuts at a clause comes as far as the mark of each part", () => {
  const conversation = new Conversation();
  const clause = "If you come on Monday before eight,";
  conversation.transcript(agent(clause));
  conversation.transcript(agent(`${clause} please use the door in the yard.`));
  conversation.transcript(agent(`${clause} please use the door in the yard. It is always open.`));
  conversation.mark({ name: "turn_1.0", played: true });
  conversation.mark({ name: "turn_1.1", played: false });
  expect(shown(conversation)).toEqual([
    [`heard: ${clause}`, "sent: please use the door in the yard.", "generated: It is always open."],
  ]);
});

test("a greeting, whose segments come in one text, is heard segment by segment", () => {
  const conversation = new Conversation();
  conversation.transcript(agent("Hello, this is the bakery on Main Street. How can I help you today?"));
  conversation.mark({ name: "turn_1.0", played: true });
  expect(shown(conversation)).toEqual([
    ["heard: Hello, this is the bakery on Main Street.", "generated: How can I help you today?"],
  ]);
});

test("marks that come again after a lost connection count once, and one that is missing is made up for by the next", () => {
  const conversation = new Conversation();
  const sentences = ["The first one is long enough.", "The second one is as long.", "The third one, too, is long."];
  for (let count = 1; count <= 3; count += 1) conversation.transcript(agent(sentences.slice(0, count).join(" ")));
  for (let time = 0; time < 2; time += 1) {
    conversation.mark({ name: "turn_1.0", played: false });
    conversation.mark({ name: "turn_1.0", played: true });
  }
  expect(shown(conversation)).toEqual([
    [`heard: ${sentences[0]}`, `generated: ${sentences[1]}`, `generated: ${sentences[2]}`],
  ]);
  conversation.mark({ name: "turn_1.2", played: false });
  expect(shown(conversation)[0]?.map((sentence) => sentence.split(":")[0])).toEqual(["heard", "sent", "sent"]);
});
