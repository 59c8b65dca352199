import { unavailable } from "../../../core/errors.ts";
import type { Address, ScriptedDial, ScriptStep } from "../call-script.ts";
import { parseXml, type XmlElement } from "../xml.ts";

/** How long `<Dial>` rings by default: https://www.twilio.com/docs/voice/twiml/dial#timeout */
const DIAL_TIMEOUT_S = 30;

/** What a document needs to know of its call. */
export interface TwimlContext {
  /** Of the document, for addresses that are relative to it. */
  readonly url: string;
  /** What `<Dial>` shows by default. */
  readonly callerId: string;
}

/**
 * Reads a TwiML document: https://www.twilio.com/docs/voice/twiml. Throws `unavailable` for one that the carrier does not accept, and
 * for verbs that the emulator does not have.
 */
export function readTwiml(document: string, context: TwimlContext): ScriptStep[] {
  const root = parseXml(document);
  if (root.name !== "Response") throw unavailable(`the document begins with <${root.name}> instead of <Response>`);
  return root.children.flatMap((verb) => stepsOf(verb, context));
}

function stepsOf(verb: XmlElement, context: TwimlContext): ScriptStep[] {
  const { name, attributes, text } = verb;
  switch (name) {
    case "Say":
      return Array.from({ length: Number(attributes.loop ?? 1) || 1 }, () => ({ do: "say", text }));
    case "Pause":
      return [{ do: "wait", ms: Number(attributes.length ?? 1) * 1_000 }];
    case "Play":
      if (attributes.digits !== undefined) return [{ do: "send-digits", digits: attributes.digits }];
      return [{ do: "wait", ms: 1_000 }];
    case "Connect":
      return [...streamOf(verb), ...actionOf(attributes.action, attributes.method, context)];
    case "Dial":
      return [{ do: "dial", dial: dialOf(verb, context) }];
    case "Redirect":
      return [{ do: "redirect", ...addressOf(text, attributes.method, context) }];
    case "Hangup":
      return [{ do: "hang-up" }];
    case "Reject":
      return [{ do: "reject", cause: attributes.reason === "busy" ? "busy" : "declined" }];
    default:
      throw unavailable(`<${name}> is no verb of the emulator`);
  }
}

function streamOf({ children }: XmlElement): ScriptStep[] {
  const [stream, ...others] = children;
  if (stream?.name !== "Stream" || others.length > 0) throw unavailable("<Connect> needs one <Stream>");
  const { url = "", statusCallback } = stream.attributes;
  if (!/^wss?:\/\//.test(url)) throw unavailable("the url of <Stream> must begin with wss://");
  const parameters = Object.fromEntries(
    stream.children.map(({ name, attributes }) => {
      if (name !== "Parameter") throw unavailable(`<Stream> has <${name}>`);
      return [attributes.name ?? "", attributes.value ?? ""];
    }),
  );
  // The carrier drops the query: https://www.twilio.com/docs/voice/twiml/stream#attributes
  const [address = ""] = url.split("?");
  const status = statusCallback === undefined ? {} : { statusUrl: statusCallback };
  return [{ do: "stream", stream: { url: address, parameters, holdsCall: true, ...status } }];
}

function dialOf({ attributes, children, text }: XmlElement, context: TwimlContext): ScriptedDial {
  const [noun, ...others] = children;
  if (others.length > 0) throw unavailable("<Dial> of the emulator has one number");
  if (noun !== undefined && noun.name !== "Number" && noun.name !== "Sip")
    throw unavailable(`<Dial> has <${noun.name}>`);
  const { statusCallback, statusCallbackEvent = "completed" } = noun?.attributes ?? {};
  const { action, method, timeout, callerId } = attributes;
  return {
    to: noun?.text ?? text,
    from: callerId ?? context.callerId,
    ringMsMax: Number(timeout ?? DIAL_TIMEOUT_S) * 1_000,
    ...(action !== undefined && { action: addressOf(action, method, context) }),
    ...(statusCallback !== undefined && { states: { url: statusCallback, events: statusCallbackEvent.split(" ") } }),
  };
}

const actionOf = (action: string | undefined, method: string | undefined, context: TwimlContext): ScriptStep[] =>
  action === undefined ? [] : [{ do: "redirect", ...addressOf(action, method, context) }];

function addressOf(url: string, method: string | undefined, context: TwimlContext): Address {
  if (!URL.canParse(url, context.url)) throw unavailable("the document has an invalid address");
  return { url: new URL(url, context.url).href, method: method?.toUpperCase() === "GET" ? "GET" : "POST" };
}
