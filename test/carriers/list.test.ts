import { describe, expect, test } from "vitest";
import { CARRIERS } from "../../src/carriers/list.ts";
import type { G711Codec } from "../../src/media/g711.ts";
import { MULAW_CODECS } from "../../src/simulator/peers/carrier.ts";
import { inboundAudio } from "../support/audio/inbound-audio.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { telephonyUnderTest } from "../support/telephony/carriers.ts";
import { carriersUnderTest } from "../support/wires/carriers.ts";

const LAWS: readonly G711Codec[] = ["mulaw", "alaw"];

test("no two carriers share a name or a variable", () => {
  const names = CARRIERS.flatMap(({ connectionType, secret, outboundCodec, telephony }) => [
    connectionType,
    secret.variable,
    telephony.apiUrl.variable,
    ...(outboundCodec === undefined ? [] : [outboundCodec.variable]),
  ]);
  expect(names).toEqual([...new Set(names)]);
});

test.each(CARRIERS)("the variables of $connectionType begin with its name", (carrier) => {
  const { connectionType, secret, outboundCodec = secret, telephony } = carrier;
  for (const { variable } of [secret, outboundCodec, telephony.apiUrl])
    expect(variable).toMatch(new RegExp(`^${connectionType.toUpperCase()}_`));
});

test("every carrier is in the contract suite of the wires", () => {
  const tested = new Set(carriersUnderTest().map(({ connectionType }) => connectionType));
  expect(CARRIERS.filter(({ connectionType }) => !tested.has(connectionType))).toEqual([]);
});

test("every carrier is in the contract suite of telephony, with the telephony that it lists", () => {
  const tested = new Map(telephonyUnderTest().map(({ name, telephony }) => [name, telephony]));
  for (const { connectionType, telephony } of CARRIERS) expect(tested.get(connectionType)).toBe(telephony);
});

describe.each(CARRIERS)("$connectionType", (carrier) => {
  test("has a variable for the codec of outbound audio where its wire can have two", () => {
    const codecs = new Set(LAWS.map((outboundCodec) => carrier.createWire({ outboundCodec }).outboundCodec));
    expect([...codecs]).toEqual(carrier.outboundCodec === undefined ? ["mulaw"] : LAWS);
  });

  test("its wire reads the parameters that its simulated peer was given, and those of the frames as audio", async () => {
    const simulate = await carrier.loadSimulated();
    for (const parameters of [{ order: "A-17", "full name": "Zo\u00eb; x=y, 100%", constructor: "c" }, {}]) {
      const sent: string[] = [];
      const clock = new ManualClock();
      const peer = simulate({
        id: "18ad3ab5a668481ce02b83e7395059f0",
        clock,
        codecs: MULAW_CODECS,
        parameters,
        send: (message) => void sent.push(message),
        close: () => {},
        microphone: () => new Uint8Array(160),
        earphone: () => {},
      });
      peer.start();
      await clock.play(60);
      const wire = carrier.createWire({ outboundCodec: "mulaw" });
      const events = sent.map((text) => wire.decode(Buffer.from(text), inboundAudio()));
      const start = events.find(({ kind }) => kind === "start");
      const received = Object.keys(parameters).length === 0 ? undefined : { values: parameters, droppedCount: 0 };
      expect(start?.kind === "start" ? start.parameters : undefined).toEqual(received);
      expect(events.at(-1)).toEqual({ kind: "audio" });
    }
  });

  test("its wire reads the start of its simulated peer, with the carrier's id of the call in the named member", async () => {
    const simulate = await carrier.loadSimulated();
    const sent: string[] = [];
    const peer = simulate({
      id: "18ad3ab5a668481ce02b83e7395059f0",
      clock: new ManualClock(),
      codecs: MULAW_CODECS,
      send: (message) => void sent.push(message),
      close: () => {},
      microphone: () => undefined,
      earphone: () => {},
    });
    peer.start();
    const wire = carrier.createWire({ outboundCodec: "mulaw" });
    const start = sent.map((text) => ({ text, event: wire.decode(Buffer.from(text), inboundAudio()) })).at(-1);
    expect(start?.event).toMatchObject({ kind: "start", streamId: peer.streamId });
    const { start: body } = JSON.parse(start?.text ?? "") as { start: Record<string, unknown> };
    expect(start?.event).toMatchObject({ carrierCallId: body[carrier.callIdField] });
  });
});
