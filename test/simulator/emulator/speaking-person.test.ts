import { expect, onTestFinished, test } from "vitest";
import { CarrierEmulator } from "../../../src/simulator/emulator/emulator.ts";
import { speakingPeople } from "../../../src/simulator/emulator/speaking-person.ts";
import type { Tts } from "../../../src/speech/contracts.ts";
import { Customer } from "../../support/emulator/customer.ts";

const [NUMBER, PERSON] = ["+12025550187", "+12025550142"];

/** 200 ms of a tone for every text, at once. */
const tts: Tts = {
  provider: "scripted",
  capabilities: { wordTimestamps: false },
  voices: async () => [],
  async *speak() {
    const samples = Int16Array.from({ length: 1_600 }, (_, at) => (at % 8 < 4 ? 8_000 : -8_000));
    yield { samples, rateHz: 8_000, words: [] };
  },
};

interface Media {
  event: string;
  media?: { payload: string };
}

test("a person who has something to say says it after the agent has spoken, and stays for the reply", async () => {
  const emulator = new CarrierEmulator({
    carrier: "twilio",
    numbers: [NUMBER],
    personOf: speakingPeople(tts, new AbortController().signal),
  });
  onTestFinished(() => emulator.stop());
  await emulator.start();
  const customer = await Customer.start(({ path }, { streamUrl }) =>
    path === "/voice"
      ? { body: `<Response><Connect><Stream url="${streamUrl}/stream/token"/></Connect></Response>` }
      : {},
  );
  emulator.setWebhooks(NUMBER, { voiceUrl: `${customer.url}/voice` });
  const leg = emulator.call({ from: PERSON, to: NUMBER }, { says: ["Hello there"] });
  await customer.until(() => (customer.streams[0]?.messages.length ?? 0) > 5);
  const [stream] = customer.streams;
  const { streamSid } = stream?.messages[1] as { streamSid: string };
  // Half a second of a tone, as the agent's greeting.
  const tone = Uint8Array.from({ length: 4_000 }, (_, at) => (at % 8 < 4 ? 0x20 : 0xa0));
  stream?.socket.send(
    JSON.stringify({ event: "media", streamSid, media: { payload: Buffer.from(tone).toString("base64") } }),
  );
  const isSpeech = ({ event, media }: Media): boolean =>
    event === "media" && Buffer.from(media?.payload ?? "", "base64").some((byte) => (byte & 0x7f) < 0x60);
  await customer.until(() => stream?.messages.some((message) => isSpeech(message as Media)) === true);
  const firstSpeech = (stream?.messages ?? []).findIndex((message) => isSpeech(message as Media));
  // The greeting, and the pause after which a person takes it as ended, at 20 ms a frame.
  expect(firstSpeech).toBeGreaterThan(50);
  expect(leg.state).toBe("answered");
});
