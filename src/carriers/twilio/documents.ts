import { retriedUrl, secondsOf } from "../rest.ts";
import { spokenLanguage } from "../spoken-language.ts";
import type { CallInstruction, CarrierDocument, StreamOrder, TransferOrder } from "../telephony.ts";
import { xmlElement, xmlResponse, xmlText } from "../xml.ts";

// TwiML: https://www.twilio.com/docs/voice/twiml

/** `timeout` of `<Dial>`, seconds: https://www.twilio.com/docs/voice/twiml/dial#timeout */
const RING_S_MIN = 5;
const RING_S_MAX = 600;

/** `language` of `<Say>` with the basic voices: https://www.twilio.com/docs/voice/twiml/say/text-speech#available-voices-and-languages */
const LANGUAGES = [
  ...[
    "en-US",
    "en-GB",
    "en-AU",
    "en-CA",
    "en-IN",
    "de-DE",
    "es-ES",
    "es-MX",
    "fr-FR",
    "fr-CA",
    "it-IT",
    "pt-BR",
    "pt-PT",
  ],
  ...[
    "nl-NL",
    "pl-PL",
    "da-DK",
    "sv-SE",
    "nb-NO",
    "fi-FI",
    "ca-ES",
    "ru-RU",
    "ja-JP",
    "ko-KR",
    "zh-CN",
    "zh-HK",
    "zh-TW",
  ],
];

export const twilioDocument = (instruction: CallInstruction): CarrierDocument => ({
  contentType: "text/xml; charset=utf-8",
  body: twiml(instruction),
});

export function twiml(instruction: CallInstruction): string {
  switch (instruction.kind) {
    case "stream":
      return xmlResponse(connect(instruction.stream), afterStream(instruction.stream));
    case "transfer":
      return xmlResponse(dial(instruction.transfer));
    case "refuse": {
      // A call that is rejected is never answered, and costs nothing: https://www.twilio.com/docs/voice/twiml/reject
      if (instruction.text === undefined) return xmlResponse(xmlElement("Reject", { reason: instruction.reason }));
      const language = spokenLanguage(instruction.language, LANGUAGES);
      return xmlResponse(xmlElement("Say", { language }, xmlText(instruction.text)), xmlElement("Hangup"));
    }
    case "hang_up":
      return xmlResponse(xmlElement("Hangup"));
  }
}

/** A bidirectional stream. When it ends, the next element follows: https://www.twilio.com/docs/voice/twiml/stream */
const connect = ({ url, callId }: StreamOrder): string =>
  xmlElement("Connect", {}, xmlElement("Stream", { url }, xmlElement("Parameter", { name: "callId", value: callId })));

/** Without it the call would end with its stream: https://www.twilio.com/docs/voice/twiml/redirect */
const afterStream = ({ afterUrl }: StreamOrder): string =>
  xmlElement("Redirect", { method: "POST" }, xmlText(retriedUrl(afterUrl)));

/**
 * The caller hears the target ring. `action` is asked when the dial is over, the status callback says that the target has answered:
 * https://www.twilio.com/docs/voice/twiml/number#attributes-status-callback. `answerOnBridge` has no meaning for a call that is already answered, so it is not set:
 * https://www.twilio.com/docs/voice/twiml/dial#answeronbridge
 */
function dial({ target, from, ringMsMax, resultUrl }: TransferOrder): string {
  const url = retriedUrl(resultUrl);
  return xmlElement(
    "Dial",
    {
      action: url,
      method: "POST",
      timeout: String(secondsOf(ringMsMax, RING_S_MIN, RING_S_MAX)),
      callerId: from,
    },
    xmlElement(
      target.startsWith("+") ? "Number" : "Sip",
      { statusCallback: url, statusCallbackEvent: "answered", statusCallbackMethod: "POST" },
      xmlText(target),
    ),
  );
}
