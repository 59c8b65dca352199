import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { fromPcm } from "../../callers/websocket-leg.ts";
import { melodyShare } from "../../support/audio/melody.ts";
import { samplesOf } from "../../support/audio/samples.ts";
import { NEW_CALL, until } from "../../support/services/service.ts";
import { PEOPLE, PhoneScene } from "../../support/telephony/phone-scene.ts";

const LONG = { timeout: 90_000 };
const HELD_MS = 4_000;
const CARRIER_HZ = 8_000;
const PROGRAM_HZ = 16_000;
const FRAME_MS = 20;

describe("a caller on hold", () => {
  let scene: PhoneScene;
  beforeAll(async () => {
    scene = await PhoneScene.open("twilio");
  }, 60_000);
  afterAll(() => scene.close());

  /** Whether the agent has spoken since the hold. */
  const hasSpokenAgain = async (id: string): Promise<boolean> => {
    const happened = await scene.happened(id);
    const resumed = happened.indexOf("resumed");
    return resumed >= 0 && happened.slice(resumed).includes("speak");
  };

  test("by telephone hears the melody, then the agent", LONG, async () => {
    const { id, hangUp } = await scene.receive();
    await scene.until("the greeting", id, async () => (await scene.happened(id)).includes("playout-ended"));
    await scene.changeHold(id, "hold");
    const from = scene.heard.length;
    await until("the melody", HELD_MS * 5, async () => scene.heard.length - from > HELD_MS / FRAME_MS);
    const music = samplesOf("mulaw", Buffer.concat(scene.heard.slice(from)));
    expect(melodyShare(music, CARRIER_HZ)).toBeGreaterThan(0.5);
    const twice = await scene.service.api<{ error: { code: string } }>("POST", `/calls/${id}/hold`, {});
    expect([twice.status, twice.body.error.code]).toEqual([409, "already_on_hold"]);
    await scene.changeHold(id, "resume");
    await scene.until("the agent to speak again", id, () => hasSpokenAgain(id));
    hangUp();
    const { endReason, phone } = await scene.ended(id);
    expect([endReason, phone?.from]).toEqual(["caller_hangup", PEOPLE.answer]);
  });

  test("over a raw WebSocket hears the melody, then the agent, and sees the state", LONG, async () => {
    const { service } = scene;
    const { body } = await service.api<{ id: string; websocketUrl: string }>("POST", "/calls", {
      ...NEW_CALL,
      connectionType: "websocket",
      greeting: "Hello, this is the bakery.",
    });
    const socket = new WebSocket(body.websocketUrl);
    const audio: Buffer[] = [];
    const states: unknown[] = [];
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) audio.push(data);
      else {
        const message = JSON.parse(String(data)) as { type: string; state?: string };
        if (message.type === "state") states.push(message.state);
      }
    });
    await once(socket, "open");
    const sending = setInterval(() => socket.send(Buffer.alloc((PROGRAM_HZ / 1_000) * FRAME_MS * 2)), FRAME_MS);
    try {
      await until("the greeting", 20_000, async () => states.includes("listening"));
      await scene.changeHold(body.id, "hold");
      const from = audio.length;
      await until("the melody", HELD_MS * 5, async () => audio.length - from > HELD_MS / FRAME_MS);
      const music = fromPcm(Buffer.concat(audio.slice(from)));
      expect(melodyShare(music, PROGRAM_HZ)).toBeGreaterThan(0.5);
      await scene.changeHold(body.id, "resume");
      await until("the agent to speak again", 20_000, async () =>
        states.slice(states.indexOf("held")).includes("speaking"),
      );
    } finally {
      clearInterval(sending);
      socket.close();
    }
    expect(await hasSpokenAgain(body.id)).toBe(true);
  });
});
