import { expect, onTestFinished, test } from "vitest";
import { CarrierEmulator } from "../../../src/simulator/emulator/emulator.ts";
import { Customer, eventually } from "../../support/emulator/customer.ts";

const [NUMBER, PERSON] = ["+12025550187", "+12025550142"];

test("an observer sees each request, each webhook and each change of a leg as it happens", async () => {
  const seen: string[] = [];
  const emulator = new CarrierEmulator({
    carrier: "twilio",
    numbers: [NUMBER],
    observer: {
      requested: ({ method, status }) => seen.push(`${method} ${status}`),
      webhookSent: ({ kind, status }) => seen.push(`${kind} ${status}`),
      legChanged: ({ state }) => seen.push(state),
    },
  });
  onTestFinished(() => emulator.stop());
  const url = await emulator.start();
  const customer = await Customer.start(() => ({ body: "<Response><Pause length='60'/></Response>" }));
  emulator.setWebhooks(NUMBER, { voiceUrl: `${customer.url}/voice`, statusUrl: `${customer.url}/status` });
  await fetch(`${url}/2010-04-01/Accounts/${emulator.credentials.accountSid}.json`);
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await eventually(() => leg.state === "answered");
  emulator.network.hangUp(leg, "person");
  await eventually(() => seen.includes("ended 200"));
  expect(seen).toEqual(["GET 401", "incoming 200", "answered", "ended", "ended 200"]);
});

test("what the customer did wrong in a stream is counted for its leg", async () => {
  const emulator = new CarrierEmulator({ carrier: "twilio", numbers: [NUMBER] });
  onTestFinished(() => emulator.stop());
  await emulator.start();
  const customer = await Customer.start(({ path }, { streamUrl }) =>
    path === "/voice"
      ? { body: `<Response><Connect><Stream url="${streamUrl}/stream/token"/></Connect></Response>` }
      : {},
  );
  emulator.setWebhooks(NUMBER, { voiceUrl: `${customer.url}/voice` });
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await customer.until(() => (customer.streams[0]?.messages.length ?? 0) > 2);
  customer.streams[0]?.socket.send("no JSON");
  customer.streams[0]?.socket.close();
  await eventually(() => emulator.streams.violationsOf(leg).size > 0);
  expect([...emulator.streams.violationsOf(leg)]).toEqual([["not_json", 1]]);
});
