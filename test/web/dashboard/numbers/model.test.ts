import { describe, expect, test } from "vitest";
import {
  type Carrier,
  carrierChangesOf,
  carrierFormOf,
  NEW_CARRIER,
  newCarrierOf,
} from "../../../../web/dashboard/pages/numbers/model/carriers.ts";
import { numberChangesOf, numberFormOf } from "../../../../web/dashboard/pages/numbers/model/number-form.ts";
import {
  numberStateOf,
  type PhoneNumber,
  webhookStateOf,
} from "../../../../web/dashboard/pages/numbers/model/states.ts";

const at = (origin: string) => ({
  emulated: false,
  webhookUrls: { voice: `${origin}/telephony/x/voice`, status: `${origin}/telephony/x/status` },
});
const NUMBER = { attached: true, agentId: "agent_1", inboundWebhookUrl: null };
const CARRIER: Carrier = {
  id: "carrier_1",
  carrier: "carrier_a",
  name: "main",
  credentials: { accountSid: "AC0" },
  ...at("https://agents.example.com"),
  maxConcurrentCalls: 20,
  callsPerSecond: 1,
  allowedCountries: ["DE", "AT"],
  allowedNumbers: null,
  createdAt: "2026-11-20T08:00:00.000Z",
  updatedAt: "2026-11-20T08:00:00.000Z",
  verifiedAt: "2026-11-20T08:00:00.000Z",
};

describe("the webhook of a carrier", () => {
  test("is ready with a public address by TLS", () => {
    expect(webhookStateOf(CARRIER)).toEqual({ text: "ready", tone: "good", problems: [] });
  });

  test("without an address names the variable that sets it", () => {
    expect(webhookStateOf({ webhookUrls: null, emulated: true })).toMatchObject({
      text: "no address",
      tone: "bad",
      problems: [expect.stringContaining("PUBLIC_API_URL")],
    });
  });

  test.each([
    "http://127.0.0.1:8080",
    "https://localhost",
    "https://10.1.2.3",
    "https://172.16.0.1",
    "https://172.31.255.1",
    "https://192.168.1.1",
    "https://169.254.1.1",
    "https://[::1]:8080",
    "https://[fd00::1]",
    "https://voice.internal",
  ])("at %s is one that no carrier reaches", (origin) => {
    expect(webhookStateOf(at(origin)).text).toBe("private address");
  });

  test.each([
    "https://172.32.0.1",
    "https://11.0.0.1",
    "https://[2001:db8::1]",
    "https://internal.example.com",
  ])("at %s is one that carriers may reach", (origin) => {
    expect(webhookStateOf(at(origin)).text).toBe("ready");
  });

  test("at a private address is ready for a carrier that is emulated", () => {
    expect(webhookStateOf({ ...at("http://127.0.0.1:8080"), emulated: true })).toMatchObject({
      tone: "good",
      problems: [],
    });
  });

  test("without TLS says so", () => {
    expect(webhookStateOf(at("http://agents.example.com"))).toMatchObject({ text: "without TLS", tone: "warn" });
  });
});

describe("a number", () => {
  test("answers when it is attached, has an agent, and its carrier reaches the service", () => {
    expect(numberStateOf(NUMBER, CARRIER)).toEqual({ text: "answers calls", tone: "good", problems: [] });
    expect(numberStateOf({ ...NUMBER, agentId: null, inboundWebhookUrl: "https://x.example" }, undefined).text).toBe(
      "answers calls",
    );
  });

  test("says each thing that is wrong", () => {
    expect(numberStateOf({ ...NUMBER, agentId: null }, CARRIER)).toMatchObject({ text: "no agent", tone: "warn" });
    expect(numberStateOf({ ...NUMBER, attached: false }, CARRIER).problems).toHaveLength(1);
    expect(numberStateOf({ ...NUMBER, attached: false, agentId: null }, CARRIER).problems).toHaveLength(2);
    expect(numberStateOf(NUMBER, { webhookUrls: null, emulated: false })).toMatchObject({
      text: "attached, no address",
      tone: "warn",
    });
  });

  test("that is opened and saved changes nothing, so that its webhook keeps its secret", () => {
    const number = {
      name: "front desk",
      agentId: "agent_1",
      inboundWebhookUrl: "https://x.example/in",
      maxConcurrentCalls: 5,
      refusalText: null,
    } as PhoneNumber;
    const form = numberFormOf(number);
    expect(numberChangesOf(form, form)).toEqual({});
    expect(numberChangesOf(form, { ...form, agentId: "", maxConcurrentCalls: "", refusalText: " Busy. " })).toEqual({
      agentId: null,
      maxConcurrentCalls: null,
      refusalText: "Busy.",
    });
  });
});

test("a new carrier has the credentials of its kind alone, without spaces from copying", () => {
  const credentials = { authId: " MA0 ", authToken: "t", accountSid: "of another kind" };
  expect(newCarrierOf({ ...NEW_CARRIER, carrier: "carrier_c", name: "main", credentials })).toEqual({
    carrier: "carrier_c",
    name: "main",
    credentials: { authId: "MA0", authToken: "t" },
    callsPerSecond: 1,
    maxConcurrentCalls: null,
    allowedCountries: null,
    allowedNumbers: null,
  });
});

test("a carrier that is opened and saved changes nothing; an emptied list is the rule of the service", () => {
  const form = carrierFormOf(CARRIER);
  expect(carrierChangesOf(form, form)).toEqual({});
  expect(carrierChangesOf(form, { ...form, allowedCountries: "", allowedNumbers: "+49180, +49900" })).toEqual({
    allowedCountries: null,
    allowedNumbers: ["+49180", "+49900"],
  });
});
