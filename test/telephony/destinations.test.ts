import { describe, expect, test } from "vitest";
import { countryOf, destinationRefusal, isSip, isSipAddress } from "../../src/telephony/destinations.ts";
import { DESTINATION_CASES } from "./destination-cases.ts";

const US = "+12025550123";

describe("the destinations of telephone calls", () => {
  test("the table has 200 numbers", () => {
    expect(DESTINATION_CASES.length).toBeGreaterThanOrEqual(200);
  });

  test.each(DESTINATION_CASES)("%j, called by %j: %j", (to, from, refusal) => {
    expect(destinationRefusal(to, from, {})).toBe(refusal);
  });

  test("a list of countries replaces that of the number that calls", () => {
    expect(destinationRefusal("+4930123456", US, { allowedCountries: ["DE"] })).toBeUndefined();
    expect(destinationRefusal(US, US, { allowedCountries: ["DE"] })).toBe("country");
    expect(destinationRefusal(US, US, { allowedCountries: [] })).toBe("country");
  });

  test("countries of one calling code differ", () => {
    expect(destinationRefusal("+18765551234", US, {})).toBe("country");
    expect(countryOf("+18765551234")).toBe("JM");
  });

  test("a number that calls and has no country reaches none by default", () => {
    expect(destinationRefusal(US, "anonymous", {})).toBe("country");
  });

  test.each([
    ["+19005551234", "+1900"],
    ["+881612345678", "+8816"],
    ["+49115", "+49115"],
    ["+4930123456", "+4930123456"],
  ])("%s is called where %s is listed", (to, allowed) => {
    expect(destinationRefusal(to, US, { allowedNumbers: [allowed] })).toBeUndefined();
  });

  test("no list allows a text that is no number", () => {
    expect(destinationRefusal("+1900\r\nX: y", US, { allowedNumbers: ["+1900"] })).toBe("malformed");
  });
});

describe("SIP addresses", () => {
  test.each([
    "sip:agent@example.com",
    "sips:agent.7+x@sip.example.com:5061",
    "sip:4930123456@192.0.2.7;transport=tcp",
    "sip:a@b.example;transport=tls",
  ])("%s is one", (target) => {
    expect(isSip(target) && isSipAddress(target)).toBe(true);
  });

  test.each([
    "sip:agent@example.com\r\nRoute: <sip:evil@example.net>",
    "sip:agent@example.com?Subject=x",
    "sip:agent@example.com;maddr=10.0.0.1",
    "sip:agent%0d%0a@example.com",
    "sip:agent@example.com:0",
    "sip:agent@example.com:70000",
    "sip:agent@localhost",
    "sip:@example.com",
    "sip:example.com",
    "sip:a@b@example.com",
    "sip:a b@example.com",
    "sip:ä@example.com",
    "<sip:agent@example.com>",
    "SIP:agent@example.com",
    `sip:${"a".repeat(65)}@example.com`,
    `sip:a@${"a.".repeat(130)}example.com`,
    "tel:+4930123456",
    "",
  ])("%j is none", (target) => {
    expect(isSipAddress(target)).toBe(false);
  });
});
