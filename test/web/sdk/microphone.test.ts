import { afterEach, expect, test, vi } from "vitest";
import { ERROR_SENTENCES } from "../../../web/sdk/src/errors.ts";
import { openMicrophone } from "../../../web/sdk/src/microphone.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const failingWith = (error: Error) =>
  vi.stubGlobal("navigator", { mediaDevices: { getUserMedia: () => Promise.reject(error) } });

test.each([
  ["the person refuses", "NotAllowedError", "microphone_refused"],
  ["a policy of the page forbids", "SecurityError", "microphone_refused"],
  ["is not there", "NotFoundError", "no_microphone"],
  ["has gone since it was chosen", "OverconstrainedError", "no_microphone"],
  ["another program holds", "NotReadableError", "microphone_in_use"],
  ["the system takes back while it is opened", "AbortError", "microphone_in_use"],
] as const)("a microphone that %s is an error of its own, with a sentence for people", async (_, name, code) => {
  failingWith(new DOMException("No.", name));
  const failed = openMicrophone({}, undefined);
  await expect(failed).rejects.toMatchObject({ name: "TrunklineCallError", code, message: ERROR_SENTENCES[code] });
  await expect(failed).rejects.toMatchObject({ cause: expect.objectContaining({ name }) });
});

test("what the browser fails with in a way of its own is a missing microphone, with the cause", async () => {
  failingWith(new TypeError("Not in this browser"));
  await expect(openMicrophone({}, undefined)).rejects.toMatchObject({
    code: "no_microphone",
    cause: expect.any(TypeError),
  });
});

test("one microphone is asked for by its id, and the page's own constraints win", async () => {
  const asked: unknown[] = [];
  const track = {};
  vi.stubGlobal("navigator", {
    mediaDevices: {
      getUserMedia: async (constraints: unknown) => {
        asked.push(constraints);
        return { getAudioTracks: () => [track] };
      },
    },
  });
  expect(await openMicrophone({ echoCancellation: false }, "front")).toBe(track);
  expect(asked).toEqual([
    {
      audio: { echoCancellation: false, noiseSuppression: true, autoGainControl: true, deviceId: { exact: "front" } },
      video: false,
    },
  ]);
});
