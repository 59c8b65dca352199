import type { HttpTool, ToolSpec } from "../../../src/core/calls/spec.ts";
import { failed } from "../../../src/core/tools/outcome.ts";
import { german } from "./conversations.ts";
import { askingFor, type Scene } from "./scene.ts";

const described = {
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  fixedArguments: {},
  timeoutMs: 4_000,
};

const httpTool = (name: string): HttpTool => ({
  ...described,
  kind: "http",
  name,
  description: "Finds an order.",
  method: "GET",
  url: "https://orders.example/{order}",
  headers: {},
});

const CLIENT_TOOL: ToolSpec = { ...described, kind: "client", name: "show_order", description: "Shows an order." };

const builtIn = (name: "hang_up" | "transfer" | "send_dtmf" | "switch_language"): ToolSpec => ({
  kind: "built_in",
  name,
  fixedArguments: {},
});

const ORDER = '{"order":"12"}';
const question = (scene: Scene): Scene => scene.says(2_400, "where is my order");

/** A tool of the service, whose result is spoken. */
export function serverTool(scene: Scene): void {
  question(scene.with({ tools: [httpTool("find_order")] }))
    .replies(askingFor([["find_order", ORDER]], "Let me look."))
    .replies("It leaves tomorrow.")
    .hangsUp(9_000);
  scene.tools.set("find_order", { afterMs: 600, text: '{"leaves":"tomorrow"}', status: 200 });
}

/** A tool that takes long: a filler is spoken, then its time is over. */
export function slowTool(scene: Scene): void {
  question(scene.with({ tools: [httpTool("find_order")] }))
    .replies(askingFor([["find_order", ORDER]]))
    .replies("I could not find it.")
    .hangsUp(13_000);
  scene.tools.set("find_order", { afterMs: 60_000, text: "late", status: 200 });
}

/** The caller goes on before the result of a tool is there; the LLM gets it with the next turn. */
export function lateToolResult(scene: Scene): void {
  question(scene.with({ tools: [httpTool("find_order")] }))
    .replies(askingFor([["find_order", ORDER]], "Let me look for it."))
    .replies("Gladly.")
    .replies("It leaves tomorrow.")
    .says(5_400, "never mind then")
    .says(9_000, "so what of it")
    .hangsUp(13_500);
  scene.tools.set("find_order", { afterMs: 3_500, text: "tomorrow", status: 200 });
}

/** Tools that fail in every way: the server, the arguments, and a tool that does not exist. */
export function failingTools(scene: Scene): void {
  question(scene.with({ tools: [httpTool("find_order"), httpTool("cancel_order")] }))
    .replies(
      askingFor([
        ["find_order", ORDER],
        ["cancel_order", '{"order":12}'],
        ["cancel_order", "no JSON"],
        ["no_such_tool", "{}"],
      ]),
    )
    .replies("That did not work.")
    .hangsUp(8_500);
  scene.tools.set("find_order", { afterMs: 300, ...failed("status", "its server answered with 503", { status: 503 }) });
}

/** More tools at once than a round may have. */
export function tooManyTools(scene: Scene): void {
  const calls = Array.from({ length: 10 }, (_, n) => ["find_order", `{"order":"${n}"}`] as const);
  question(scene.with({ tools: [httpTool("find_order")] }))
    .replies(askingFor(calls))
    .replies("All of them leave tomorrow.")
    .hangsUp(8_500);
  scene.tools.set("find_order", { afterMs: 200, text: "tomorrow", status: 200 });
}

/** An LLM that asks for tools again and again: after the last round it is offered none. */
export function tooManyRounds(scene: Scene): void {
  question(scene.with({ tools: [httpTool("find_order")] })).hangsUp(9_500);
  for (let round = 0; round < 6; round += 1) scene.replies(askingFor([["find_order", ORDER]]));
  scene.replies(askingFor([["find_order", ORDER]], "It leaves tomorrow."));
  scene.tools.set("find_order", { afterMs: 150, text: "not yet", status: 200 });
}

/** The client of a raw WebSocket carries out a tool: with a result, with an error, and never. */
export function clientTool(scene: Scene): void {
  scene
    .with({ tools: [CLIENT_TOOL] })
    .replies(askingFor([["show_order", ORDER]]))
    .replies("There it is.")
    .replies(askingFor([["show_order", ORDER]]))
    .replies("Your screen is off.")
    .replies(askingFor([["show_order", ORDER]]))
    .replies("It does not answer.")
    .says(2_400, "show me my order")
    .says(7_000, "show me another order")
    .says(12_000, "show me the last order")
    .at(6_500, (call) => call.answersTool("1.9", { result: "of nothing" }))
    .hangsUp(22_000);
  let calls = 0;
  scene.onToolCall = ({ id }, call) => {
    calls += 1;
    if (calls === 1) call.answersTool(id, { result: { shown: true } });
    if (calls === 2) call.answersTool(id, { error: "the screen is off" });
  };
}

/** The agent says goodbye and hangs up; a back-channel over its last words. */
export const agentHangUp = (scene: Scene): Scene =>
  scene
    .replies(askingFor([["hang_up", "{}"]], "Thank you for calling. Goodbye!"))
    .says(2_400, "that was all")
    .says(5_100, "okay");

/** The caller interrupts the goodbye, and the call goes on. */
export const agentHangUpInterrupted = (scene: Scene): Scene =>
  scene
    .replies(askingFor([["hang_up", "{}"]], "Thank you very much for calling us today. Goodbye!"))
    .replies("We are open until six.")
    .says(2_400, "that was all")
    .says(5_100, "wait one more question")
    .hangsUp(11_000);

/** The caller is transferred, and the call ends with that. */
export const transfer = (scene: Scene): Scene =>
  scene
    .with({ tools: [builtIn("transfer")] })
    .replies(askingFor([["transfer", '{"target":""}']]))
    .replies(askingFor([["transfer", '{"target":"+15550100"}']], "One moment, I am transferring you."))
    .says(2_400, "I want to talk to the baker");

/** The agent presses keys. */
export const sendDtmf = (scene: Scene): Scene =>
  scene
    .with({ tools: [builtIn("send_dtmf")] })
    .replies(askingFor([["send_dtmf", '{"digits":"12#"}']]))
    .replies("I pressed the keys.")
    .says(2_400, "press one two hash")
    .hangsUp(7_500);

/** The LLM changes the language of the call. */
export function switchLanguage(scene: Scene): void {
  german(scene, "file")
    .with({ tools: [builtIn("switch_language")] })
    .replies(askingFor([["switch_language", '{"language":"de"}']]))
    .replies("Gerne auf Deutsch.")
    .says(2_400, "can we speak German")
    .hangsUp(8_000);
}
