import { head } from "../../support/network/raw-http.ts";
import { encodeFrame, OPCODE } from "../../support/network/raw-ws.ts";
import { AttackConnections, pause } from "../connections.ts";
import type { Attack, Outcome, Ready, Size, Target } from "./attack.ts";
import { outcome, SPOKEN_BYTES, streams } from "./stream-helpers.ts";

// Attacks of users with an API key, by the JSON Schemas of their tools.

const TYPED_EVERY_MS = 500;
/** A process is replaced for each of the requests that wait; what waits for more than 5 s is refused. */
const REFUSED_MS_MAX = 20_000;

const message = (value: object): Buffer => encodeFrame({ opcode: OPCODE.text, payload: JSON.stringify(value) });

/** Every client types a text for which its agent calls a tool, again and again, and then hangs up. */
async function typeAndHangUp(
  target: Target,
  size: Size,
  ready: Ready,
  textOf: (count: number) => string,
): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  const untilMs = performance.now() + size.seconds * 1_000;
  for (let count = 0; performance.now() < untilMs; count += 1) {
    const typed = message({ type: "text", text: textOf(count) });
    for (const { socket } of crowd.members) if (socket.writable) socket.write(typed);
    await pause(TYPED_EVERY_MS);
  }
  for (const { socket } of crowd.members) if (socket.writable) socket.write(message({ type: "end" }));
  await crowd.end();
  return outcome(crowd);
}

/** The LLM is the reference LLM: it calls these tools by what is typed. */
const call = (selectedTools: readonly object[]) => ({
  ...{ connectionType: "websocket", firstSpeaker: "user", model: "model_b", selectedTools },
});
const clientTool = (name: string, description: string, parameters: object): object => ({
  definition: { type: "client", name, description, parameters, timeoutMs: 5_000 },
});

const NAMES = ["alpha", "bravo", "carol", "delta", "edgar", "fritz", "gamma", "hotel"];
/** What the reference LLM itself does not look at, so that only the check of the arguments meets it. */
const ENDLESS = { allOf: [{ properties: { code: { pattern: "^(a+)+$" } } }] };
const ENDLESS_TOOLS = NAMES.map((name) =>
  clientTool(`set_${name}`, `Sets the code of ${name}.`, {
    ...{ type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    ...ENDLESS,
  }),
);
/** And a pattern that it looks at. */
const ENDLESS_CHOICE = clientTool("set_india", "Sets the code of india.", {
  type: "object",
  properties: { code: { type: "string", pattern: "^(a+)+$" } },
  required: ["code"],
});

const INHERITED = ["toString", "valueOf", "constructor", "hasOwnProperty"];
/** The value that the reference LLM fills in is compared with the other one. */
const INHERITED_TOOL = clientTool("set_order", "Sets the order.", {
  type: "object",
  properties: {
    order: {
      type: "object",
      properties: Object.fromEntries(INHERITED.map((name) => [name, { type: "string", default: "x" }])),
      required: INHERITED,
      enum: [
        Object.fromEntries(INHERITED.map((name) => [name, "y"])),
        Object.fromEntries(INHERITED.map((name) => [name, "x"])),
      ],
    },
  },
  required: ["order"],
});

/** Of 137 KB: 16 schemas of 8 KiB, each of which takes as long to compile as a schema of that size can. */
const COSTLY_BODY = JSON.stringify({
  systemPrompt: "You sell.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  ...call(
    Array.from({ length: 20 }, (_, index) =>
      clientTool(`tool_${index}`, "A tool.", {
        ...{ type: "object", description: String(index) },
        allOf: Array(600).fill({ not: {} }),
      }),
    ),
  ),
});

async function postAgainAndAgain({ api, keys: [key] }: Target, size: Size, ready: Ready): Promise<Outcome> {
  await ready();
  const request =
    head("POST /api/v1/calls", {
      ...{ "Content-Type": "application/json", "X-API-Key": key, Connection: "close" },
      "Content-Length": String(Buffer.byteLength(COSTLY_BODY)),
    }) + COSTLY_BODY;
  const crowd = new AttackConnections(api);
  const waves = Math.max(1, size.seconds);
  for (let wave = 0; wave < waves; wave += 1) {
    await crowd.gather(Math.ceil(size.attackers / waves), () => request);
    await pause(1_000);
  }
  await crowd.end();
  return outcome(crowd);
}

export const SCHEMA_ATTACKS: readonly Attack[] = [
  {
    id: "ADV-H2",
    name: "patterns that never end, in the arguments of tools",
    full: { attackers: 20, seconds: 15 },
    small: { attackers: 4, seconds: 2 },
    closedMsMax: 60_000,
    call: call([...ENDLESS_TOOLS, ENDLESS_CHOICE]),
    endReason: "caller_hangup",
    callBytes: SPOKEN_BYTES,
    run: (target, size, ready) =>
      typeAndHangUp(target, size, ready, (count) => {
        const name = [...NAMES, "india"][count % (NAMES.length + 1)];
        return `Please set ${name}, code is ${"a".repeat(40)}7.`;
      }),
  },
  {
    id: "ADV-H2",
    name: "requests of 137 KB whose schemas take seconds to compile",
    full: { attackers: 100, seconds: 10 },
    small: { attackers: 10, seconds: 1 },
    closedMsMax: REFUSED_MS_MAX,
    run: postAgainAndAgain,
  },
  {
    id: "ADV-L4",
    name: "arguments that are named toString",
    full: { attackers: 20, seconds: 5 },
    small: { attackers: 4, seconds: 1 },
    closedMsMax: 60_000,
    call: call([INHERITED_TOOL]),
    endReason: "caller_hangup",
    callBytes: SPOKEN_BYTES,
    run: (target, size, ready) => typeAndHangUp(target, size, ready, () => "Please set the order."),
  },
];
