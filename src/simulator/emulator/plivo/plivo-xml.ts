import { unavailable } from "../../../core/errors.ts";
import type { ScriptedDial, ScriptedStream, ScriptStep } from "../call-script.ts";
import { parseXml, type XmlElement } from "../xml.ts";

/** `<Dial>` has no default; the Call API rings for 120 s: https://www.plivo.com/docs/voice/api/call/make-a-call */
const DIAL_TIMEOUT_S = 120;

/**
 * Reads a Plivo XML document: https://www.plivo.com/docs/voice/xml. Throws `unavailable` for one that the carrier does not accept, and
 * for elements that the emulator does not have. `callerId` is what `<Dial>` shows by default.
 */
export function readPlivoXml(document: string, callerId: string): ScriptStep[] {
  const root = parseXml(document);
  if (root.name !== "Response") throw unavailable(`the document begins with <${root.name}> instead of <Response>`);
  return root.children.map((element) => stepOf(element, callerId));
}

function stepOf(element: XmlElement, callerId: string): ScriptStep {
  const { name, attributes, text } = element;
  switch (name) {
    case "Speak":
      return { do: "say", text };
    case "Wait":
      return { do: "wait", ms: Number(attributes.length ?? 1) * 1_000 };
    case "Play":
      return { do: "wait", ms: 1_000 };
    case "DTMF":
      return { do: "send-digits", digits: text };
    case "Stream":
      return { do: "stream", stream: streamOf(element) };
    case "Dial":
      return { do: "dial", dial: dialOf(element, callerId) };
    case "Redirect":
      return { do: "redirect", url: addressOf(text), method: methodOf(attributes.method) };
    case "Hangup":
      if (attributes.reason === "busy") return { do: "reject", cause: "busy" };
      return attributes.reason === "rejected" ? { do: "reject", cause: "declined" } : { do: "hang-up" };
    default:
      throw unavailable(`<${name}> is no element of the emulator`);
  }
}

/** https://www.plivo.com/docs/voice/xml/stream */
function streamOf({ attributes, text }: XmlElement): ScriptedStream {
  if (!/^wss?:\/\//.test(text)) throw unavailable("the text of <Stream> must begin with wss://");
  const { bidirectional, contentType = "", audioTrack = "inbound", keepCallAlive, extraHeaders = "" } = attributes;
  // Audio of another kind is possible at the carrier, and not here.
  if (bidirectional !== "true" || !/^audio\/x-mulaw(?:;rate=8000)?$/.test(contentType) || audioTrack !== "inbound") {
    throw unavailable("<Stream> of the emulator is bidirectional, with audio/x-mulaw;rate=8000");
  }
  const pairs = extraHeaders.split(/[;,]/).filter((pair) => pair.includes("="));
  return {
    url: text,
    parameters: Object.fromEntries(pairs.map((pair) => pair.trim().split("=", 2) as [string, string])),
    holdsCall: keepCallAlive === "true",
    ...(attributes.statusCallbackUrl !== undefined && { statusUrl: attributes.statusCallbackUrl }),
  };
}

/** https://www.plivo.com/docs/voice/xml/dial */
function dialOf({ attributes, children }: XmlElement, callerId: string): ScriptedDial {
  const [target, ...others] = children;
  if (target === undefined || others.length > 0) throw unavailable("<Dial> of the emulator has one <Number> or <User>");
  if (target.name !== "Number" && target.name !== "User") throw unavailable(`<Dial> has <${target.name}>`);
  const { action, method, timeout, callerId: shown = callerId, callbackUrl } = attributes;
  return {
    to: target.name === "Number" ? e164(target.text) : target.text,
    from: e164(shown),
    ringMsMax: Number(timeout ?? DIAL_TIMEOUT_S) * 1_000,
    ...(action !== undefined && { action: { url: addressOf(action), method: methodOf(method) } }),
    ...(callbackUrl !== undefined && { states: { url: callbackUrl, events: ["answer", "hangup"] } }),
  };
}

/** With a `+`, which the API leaves out. */
export const e164 = (number: string): string => (/^\d+$/.test(number) ? `+${number}` : number);

const methodOf = (method: string | undefined): "GET" | "POST" => (method?.toUpperCase() === "GET" ? "GET" : "POST");

function addressOf(url: string): string {
  if (!/^https?:\/\//.test(url)) throw unavailable("the document has an address that is not fully qualified");
  return url;
}
