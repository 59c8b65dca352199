import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { digitsIn } from "../../support/audio/dtmf-decoder.ts";
import { samplesOf } from "../../support/audio/samples.ts";
import { until } from "../../support/services/service.ts";
import { PEOPLE, PhoneScene, TARGET } from "../../support/telephony/phone-scene.ts";

const LONG = { timeout: 120_000 };
/** Rings for so long before it is declined that a process can be replaced meanwhile; and one that answers after that. */
const [SLOW_DECLINE, SLOW_ANSWER] = ["+12025550151", "+12025550152"] as const;
const RINGS_MS = 12_000;

describe.each(["twilio", "telnyx", "plivo"] as const)("a telephone call at an emulated %s", (carrier) => {
  let scene: PhoneScene;
  beforeAll(async () => {
    scene = await PhoneScene.open(carrier, {
      scenario: {
        people: {
          [SLOW_DECLINE]: [{ does: "decline", reactsAfterMs: RINGS_MS }],
          [SLOW_ANSWER]: [{ reactsAfterMs: RINGS_MS }],
          [TARGET]: [{}],
        },
      },
    });
  }, 60_000);
  afterAll(() => scene.close());

  const received = async () => {
    const call = await scene.receive();
    await scene.until("the greeting", call.id, async () => (await scene.happened(call.id)).includes("playout-ended"));
    return call;
  };

  /** Kills the control process while the carrier rings the target; resolves when another one answers. */
  const killControlWhileRinging = async (id: string, target: string): Promise<void> => {
    await scene.transfer(id, target);
    await until("the target to ring", 20_000, async () =>
      scene.emulator.network.legs.some(({ to, state }) => to === target && state === "ringing"),
    );
    const { service } = scene;
    const control = service.pid("control");
    await service.killChild("control");
    await until("another control process", 30_000, async () => {
      const isReplaced = service.pid("control") !== control;
      return isReplaced && (await service.api("GET", `/calls/${id}`).catch(() => undefined))?.status === 200;
    });
  };

  test("a caller comes back from a transfer during which the control process was killed", LONG, async () => {
    const { id, hangUp } = await received();
    await killControlWhileRinging(id, SLOW_DECLINE);
    await scene.until("the agent to speak again", id, async () => {
      const happened = await scene.happened(id);
      const failed = happened.indexOf("transfer-failed");
      return failed >= 0 && happened.slice(failed).includes("speak");
    });
    hangUp();
    expect(await scene.ended(id)).toMatchObject({ endReason: "caller_hangup", phone: { from: PEOPLE.answer } });
  });

  test("a transfer that is answered after the control process was killed joins the two", LONG, async () => {
    const { id, hangUp } = await received();
    await killControlWhileRinging(id, SLOW_ANSWER);
    expect((await scene.ended(id)).endReason).toBe("transferred");
    const ends = scene.emulator.network.legs.filter(({ state }) => state === "answered").map(({ to }) => to);
    expect(ends).toContain(SLOW_ANSWER);
    expect(ends).toHaveLength(2);
    hangUp();
  });

  test(
    "the record says since when the caller is on hold, also after the control process was killed",
    LONG,
    async () => {
      const { id, hangUp } = await received();
      const heldSince = async () => (await scene.call(id)).heldSince;
      expect(await heldSince()).toBeNull();
      const before = Date.now();
      await scene.changeHold(id, "hold");
      const since = await heldSince();
      expect(Math.abs(Date.parse(since ?? "") - before)).toBeLessThan(10_000);
      const control = scene.service.pid("control");
      await scene.service.killChild("control");
      await until("another control process", 30_000, async () => scene.service.pid("control") !== control);
      await until(
        "the worker to report the hold again",
        30_000,
        async () => (await heldSince().catch(() => null)) === since,
      );
      await scene.changeHold(id, "resume");
      expect(await heldSince()).toBeNull();
      hangUp();
      await scene.ended(id);
    },
  );
});

describe("digits that a program sends into a call of an emulated twilio, which takes none", () => {
  let scene: PhoneScene;
  beforeAll(async () => {
    scene = await PhoneScene.open("twilio");
  }, 60_000);
  afterAll(() => scene.close());

  test("reach the other end as tones, and its events say so", LONG, async () => {
    const { id, hangUp } = await scene.receive();
    await scene.until("the greeting", id, async () => (await scene.happened(id)).includes("playout-ended"));
    const from = scene.heard.length;
    const answer = await scene.service.api("POST", `/calls/${id}/dtmf`, { digits: "0123456789*#ABCD" });
    expect(answer.status).toBe(202);
    const heard = (): string => digitsIn(samplesOf("mulaw", Buffer.concat(scene.heard.slice(from))), 8_000);
    await until("the tones", 20_000, async () => heard().length === 16);
    expect(heard()).toBe("0123456789*#ABCD");
    expect(await scene.happened(id)).toContain("dtmf-requested");
    hangUp();
    await scene.ended(id);
  });
});
