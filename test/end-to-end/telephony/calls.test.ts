import { describe, expect, test } from "vitest";
import type { EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import { NUMBER, PERSON, PhoneScene, TARGET } from "../../support/telephony/phone-scene.ts";

const ASKS = ["When is the bakery closed?"];

describe.each<EmulatedName>(["twilio", "telnyx", "plivo"])("telephone calls of an emulated %s", (carrier) => {
  test("a person who calls a number is answered by its agent", { timeout: 90_000 }, async () => {
    const scene = await PhoneScene.open(carrier);
    const id = await scene.receive({ says: ASKS });
    const call = await scene.ended(id);
    expect(call).toMatchObject({
      status: "ended",
      endReason: "caller_hangup",
      phone: { direction: "inbound", from: PERSON, to: NUMBER },
    });
    const said = (await scene.service.transcript(id)).map(({ role, text }) => `${role}: ${text}`);
    expect(said).toContain("agent: Hello, this is the bakery.");
    expect(said.join("\n")).toContain("closed on Monday");
  });

  test("a call is placed, answered and held, and its record has the carrier's id of it", {
    timeout: 90_000,
  }, async () => {
    const scene = await PhoneScene.open(carrier, { scenario: { people: { [PERSON]: [{ says: ASKS }] } } });
    const id = await scene.place();
    const call = await scene.ended(id);
    expect(call).toMatchObject({
      status: "ended",
      endReason: "caller_hangup",
      phone: { direction: "outbound", from: NUMBER, to: PERSON },
    });
    expect(scene.emulator.placed.length).toBe(1);
    const said = (await scene.service.transcript(id)).map(({ role, text }) => `${role}: ${text}`);
    expect(said.join("\n")).toContain("closed on Monday");
  });

  test.each([
    ["busy", "busy"],
    ["decline", "declined"],
    ["no_answer", "no_answer"],
    ["invalid_number", "invalid_number"],
  ] as const)(
    "a person whose telephone does %s ends the call with %s",
    { timeout: 90_000 },
    async (does, endReason) => {
      const scene = await PhoneScene.open(carrier, { scenario: { people: { [PERSON]: [{ does }] } } });
      const call = await scene.ended(await scene.place({ ringTimeout: 5 }));
      expect([call.endReason, call.startedAt]).toEqual([endReason, null]);
    },
  );

  test("a transfer that is answered ends the call, and the two people stay connected", {
    timeout: 90_000,
  }, async () => {
    const scene = await PhoneScene.open(carrier);
    const id = await scene.receive();
    await scene.transfer(id, TARGET);
    const call = await scene.ended(id);
    expect(call.endReason).toBe("transferred");
  });

  test("a transfer to a busy line brings the caller back to the agent, which says so", {
    timeout: 90_000,
  }, async () => {
    const scene = await PhoneScene.open(carrier, { scenario: { people: { [TARGET]: [{ does: "busy" }] } } });
    const id = await scene.receive({ hangsUpAfterMs: 20_000 });
    await scene.transfer(id, TARGET);
    const call = await scene.ended(id);
    expect(call.endReason).toBe("caller_hangup");
    const happened = await scene.happened(id);
    expect(happened).toContain("transfer-failed");
    expect(happened.slice(happened.indexOf("transfer-failed"))).toContain("speak");
  });
});
