import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import { NUMBER, PEOPLE, PhoneScene, QUESTION, TARGET } from "../../support/telephony/phone-scene.ts";

const LONG = { timeout: 90_000 };

describe.each<EmulatedName>(["twilio", "telnyx", "plivo"])("telephone calls of an emulated %s", (carrier) => {
  let scene: PhoneScene;
  beforeAll(async () => {
    scene = await PhoneScene.open(carrier);
  }, 60_000);
  afterAll(() => scene.close());

  const said = async (id: string): Promise<string> =>
    (await scene.service.transcript(id)).map(({ role, text }) => `${role}: ${text}`).join("\n");

  test("a person who calls a number is answered by its agent", LONG, async () => {
    const { id } = await scene.receive({ says: [QUESTION] });
    expect(await scene.ended(id)).toMatchObject({
      status: "ended",
      endReason: "caller_hangup",
      phone: { direction: "inbound", from: PEOPLE.answer, to: NUMBER },
    });
    expect(await said(id)).toContain("agent: Hello, this is the bakery.");
    expect(await said(id)).toContain("closed on Monday");
  });

  test("a call is placed once, answered and held, and its record has the carrier's id of it", LONG, async () => {
    const before = scene.emulator.placed.length;
    const id = await scene.place();
    const call = await scene.ended(id);
    expect(call).toMatchObject({
      status: "ended",
      endReason: "caller_hangup",
      phone: { direction: "outbound", from: NUMBER, to: PEOPLE.answer },
    });
    expect(scene.emulator.placed.length).toBe(before + 1);
    expect(scene.emulator.legOf(call.carrierCallId ?? "")).toBeDefined();
    expect(await said(id)).toContain("closed on Monday");
  });

  test.each([
    ["busy", "busy"],
    ["decline", "declined"],
    ["no_answer", "no_answer"],
    ["invalid_number", "invalid_number"],
  ] as const)("a person whose telephone does %s ends the call with %s", LONG, async (does, endReason) => {
    const call = await scene.ended(await scene.place({ to: PEOPLE[does], ringTimeout: 5 }));
    expect([call.endReason, call.startedAt]).toEqual([endReason, null]);
  });

  test("a transfer that is answered ends the call, and the two people stay connected", LONG, async () => {
    const { id, hangUp } = await scene.receive();
    await scene.transfer(id, TARGET);
    expect((await scene.ended(id)).endReason).toBe("transferred");
    const legs = scene.emulator.network.legs.filter(({ state }) => state === "answered");
    expect(legs.map(({ to }) => to).sort()).toEqual([NUMBER, TARGET].sort());
    hangUp();
  });

  const speaksAgain = (id: string) =>
    scene.until("the agent to speak again", id, async () => {
      const happened = await scene.happened(id);
      const failed = happened.indexOf("transfer-failed");
      return failed >= 0 && happened.slice(failed).includes("speak");
    });

  test("a transfer to a busy line brings the caller back to the agent, which says so", LONG, async () => {
    const { id, hangUp } = await scene.receive();
    await scene.transfer(id, PEOPLE.busy);
    await speaksAgain(id);
    hangUp();
    expect((await scene.ended(id)).endReason).toBe("caller_hangup");
  });

  test("the caller comes back also where the first stream of the return cannot be connected", LONG, async () => {
    const { id, hangUp } = await scene.receive({ failsStream: 2 });
    await scene.transfer(id, PEOPLE.busy);
    await speaksAgain(id);
    hangUp();
    expect((await scene.ended(id)).endReason).toBe("caller_hangup");
  });

  test("a caller whose first stream cannot be connected hears the agent by the next one", LONG, async () => {
    const { id } = await scene.receive({ says: [QUESTION], failsStream: 1 });
    expect((await scene.ended(id)).endReason).toBe("caller_hangup");
    expect(await said(id)).toContain("agent: Hello, this is the bakery.");
  });
});
