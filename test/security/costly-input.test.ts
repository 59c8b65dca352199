import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { isBackChannel } from "../../src/call/turn-taking/back-channel.ts";
import { endpointMs } from "../../src/call/turn-taking/endpointing.ts";
import { TURN_TEXT_CHARS_MAX } from "../../src/core/limits/calls/calls.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../src/core/limits/streams/messages.ts";
import type { LlmRequest } from "../../src/speech/contracts.ts";
import { createReferenceLlm } from "../../src/speech/reference/llm.ts";
import { leg } from "../callers/leg.ts";
import { STREAM_ID } from "../callers/twilio-stream.ts";
import { type ApiUnderTest, apiUnderTest, MINIMAL_CALL } from "../support/api/harness.ts";
import { INLINE_TOOL_CHOICE } from "../support/stubs/inline-schemas.ts";

/** Best of so many: machines have other things to do. */
const TRIES = 10;

/**
 * How long `work` holds the loop at the least, ms. The time that passes is too long where other processes have the machine, and the
 * CPU time where the collector and the compiler work in threads of their own: the loop is held for no longer than either.
 */
async function bestOf(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    await work();
    const tookMs = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, tookMs, (user + system) / 1_000);
  }
  return best;
}

const repeated = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join();
const keys = (count: number): string => repeated(count, (index) => `"k${index}":1`);
const withMember = (member: string): string => `${JSON.stringify(MINIMAL_CALL).slice(0, -1)},${member}}`;

const COSTLIEST = withMember(`"metadata":{${keys(20_000)}}`);

/**
 * What one input may keep the event loop from everything else now, ms: 50, or ten times what JSON.parse needs for the costliest one where
 * the machine is slow at this moment. An input whose cost grows with the square of its length needs seconds.
 */
const loopMsMax = async (): Promise<number> => Math.max(50, 10 * (await bestOf(() => JSON.parse(COSTLIEST))));

describe("D5: a body of the API that is costly to read is answered at once", () => {
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await apiUnderTest();
  });
  afterAll(() => api.close());

  test.each<[what: string, text: string, status: number]>([
    ["200,000 brackets", "[".repeat(200_000), 400],
    ["50,000 objects in each other", '{"a":'.repeat(50_000), 400],
    ["1 MiB of objects", `[${repeated(350_000, () => "{}")}]`, 413],
    ["80,000 objects as tools", withMember(`"selectedTools":[${repeated(80_000, () => "{}")}]`), 400],
    ["80,000 objects as metadata", withMember(`"metadata":{"a":[${repeated(80_000, () => "{}")}]}`), 400],
    ["80,000 objects in an ignored place", withMember(`"websocket":[${repeated(80_000, () => "{}")}]`), 201],
    ["100,000 keys", withMember(keys(100_000)), 413],
    ["20,000 unknown keys", withMember(keys(20_000)), 400],
    ["20,000 keys of metadata", COSTLIEST, 400],
    ["40,000 numbers that no double can hold", withMember(`"websocket":[${repeated(40_000, () => "1e999")}]`), 400],
    ["a number of 250,000 digits", withMember(`"maxDuration":${"9".repeat(250_000)}`), 400],
    ["250,000 digits after the point", withMember(`"temperature":0.${"9".repeat(250_000)}`), 201],
    ["an exponent of 250,000 digits", withMember(`"temperature":1e${"9".repeat(250_000)}`), 400],
    ["120,000 escapes", withMember(`"greeting":"${"\\n".repeat(120_000)}"`), 201],
    ["40,000 halves of surrogate pairs", withMember(`"greeting":"${"\\ud800".repeat(40_000)}"`), 400],
    ["a text that never ends", withMember(`"greeting":"${"x".repeat(250_000)}`), 400],
    ["white space without end", " ".repeat(250_000), 400],
  ])("%s", async (_what, text, status) => {
    expect((await api.post(text)).status).toBe(status);
    expect(await bestOf(() => api.post(text))).toBeLessThan(await loopMsMax());
  });
});

describe("D5: a message of a stream that is costly to read is dropped at once, and its stream goes on", () => {
  const media = (fields: string): string => `{"event":"media","streamSid":"${STREAM_ID}","media":{${fields}}}`;
  const room = CARRIER_MESSAGE_BYTES_MAX - 200;

  test.each<[what: string, text: string]>([
    ["nothing but brackets", "[".repeat(room)],
    ["objects in each other", '{"a":'.repeat(room / 5)],
    ["deep objects that close", `${'{"a":'.repeat(room / 6)}1${"}".repeat(room / 6)}`],
    ["a list of objects", `[${repeated(room / 3 - 1, () => "{}")}]`],
    ["thousands of keys", `{${keys(5_000)}}`],
    ["thousands of keys beside an event", `{"event":"media",${keys(5_000)}}`],
    ["a timestamp of tens of thousands of digits", media(`"timestamp":${"9".repeat(room)}`)],
    ["a sequence number without end", media(`"timestamp":"1","chunk":"${"9".repeat(room)}"`)],
    ["a payload that is no base64", media(`"timestamp":"1","payload":"${"!".repeat(room)}"`)],
    ["a text that never ends", `{"event":"${"x".repeat(room)}`],
    ["escapes", `{"event":"${"\\u0041".repeat(room / 6)}"}`],
  ])("%s", async (_what, text) => {
    const bytes = Buffer.from(text);
    expect(bytes.length).toBeLessThanOrEqual(CARRIER_MESSAGE_BYTES_MAX);
    const call = leg({
      spec: { firstSpeaker: "user", inactivityTimeoutMs: 7_200_000, maxDurationMs: 7_200_000 },
    });
    call.start();
    const read = (): void => {
      // One of them at once is within what a carrier may make us parse, and each minute another one.
      call.clock.advance(60_000);
      call.connection.message(bytes, false);
    };
    expect(await bestOf(read)).toBeLessThan(await loopMsMax());
    expect(call.socket.ended).toBeUndefined();
    call.media();
    call.connection.closed(1_006, false);
    const [{ framesIn, malformed, ignored }] = call.ends() as [Record<string, number>];
    expect([framesIn, (malformed ?? 0) + (ignored ?? 0)]).toEqual([1, TRIES + 1]);
  });

  test("a message one byte above the limit is not read, and the stream is closed with 1009", async () => {
    const call = leg();
    call.start();
    call.connection.message(Buffer.alloc(CARRIER_MESSAGE_BYTES_MAX + 1, "["), false);
    expect(call.socket.ended).toEqual({ code: 1_009, reason: "protocol_error" });
  });
});

/** These are looked at with every frame of a pause, and every partial. */
const TEXT_MS_MAX = 5;

describe("D6: endless words of an STT are processed in bounded time", () => {
  test.each([
    ["letters, and no letter after them", `${"x".repeat(TURN_TEXT_CHARS_MAX - 1)}5`],
    ["nothing but letters", "x".repeat(TURN_TEXT_CHARS_MAX)],
    ["dots, and no dot after them", `${".".repeat(TURN_TEXT_CHARS_MAX - 1)}x`],
    ["white space, and more after it", `${" ".repeat(TURN_TEXT_CHARS_MAX - 1)}x`],
    ["white space without end", `x${" ".repeat(TURN_TEXT_CHARS_MAX - 1)}`],
    ["back-channels without end", "mm-hm ".repeat(TURN_TEXT_CHARS_MAX / 6)],
  ])("%s", async (_what, text) => {
    expect(await bestOf(() => endpointMs(text, "en", DEFAULT_TURN_PARAMETERS))).toBeLessThan(TEXT_MS_MAX);
    expect(await bestOf(() => isBackChannel(text, "en"))).toBeLessThan(TEXT_MS_MAX);
  });
});

describe("a caller's turn and tools that are costly to compare are answered by the reference LLM at once", () => {
  const llm = createReferenceLlm(INLINE_TOOL_CHOICE);
  const reply = async (request: Pick<LlmRequest, "messages" | "tools">): Promise<void> => {
    const asked = { ...request, temperature: 0, language: "en-US" };
    for await (const _event of llm.reply(asked, new AbortController().signal));
  };
  const properties = (count: number, property: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, property]));
  const tools = (parameters: object) =>
    Array.from({ length: 32 }, (_, index) => ({
      ...{ name: `order_thing_${index}`, description: "A word. ".repeat(128), parameters },
    }));
  const choices = { enum: Array.from({ length: 40 }, (_, index) => `choice ${index}`) };
  const said = 'order +1 2 3 one hundred "for a name '.repeat(TURN_TEXT_CHARS_MAX / 40);

  test.each<[what: string, text: string, parameters: object]>([
    ["a turn of many words", said, {}],
    ["a turn without an end", `order ${"x-1".repeat(TURN_TEXT_CHARS_MAX / 4)}`, {}],
    ["many parameters", said, { properties: properties(24, choices), required: ["p0"] }],
    ["a schema that is wider with each level", said, { properties: properties(200, { $ref: "#" }) }],
    ["references that lead round in a circle", said, { properties: properties(1, { $ref: "#/properties/p0" }) }],
  ])("%s", async (_what, text, parameters) => {
    const request = { messages: [{ role: "user" as const, text }], tools: tools(parameters) };
    expect(await bestOf(() => reply(request))).toBeLessThan(await loopMsMax());
  });
});
