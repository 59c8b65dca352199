import { retriedUrl, secondsOf } from "../rest.ts";
import { spokenLanguage } from "../spoken-language.ts";
import type { CallInstruction, CarrierDocument, StreamOrder, TransferOrder } from "../telephony.ts";
import { xmlElement, xmlResponse, xmlText } from "../xml.ts";

// Plivo XML: https://www.plivo.com/docs/voice/xml/overview

const RING_S_MIN = 5;
const RING_S_MAX = 600;

/** `language` of `<Speak>`. Plivo drops a document with another one: https://www.plivo.com/docs/voice/xml/audio-output */
const LANGUAGES = [
  ...["en-US", "en-GB", "en-AU", "de-DE", "es-ES", "es-US", "fr-FR", "fr-CA", "it-IT", "nl-NL", "pl-PL"],
  ...["pt-BR", "pt-PT", "da-DK", "sv-SE", "ru-RU"],
];

export const plivoDocument = (instruction: CallInstruction): CarrierDocument => ({
  contentType: "application/xml; charset=utf-8",
  body: plivoXml(instruction),
});

function plivoXml(instruction: CallInstruction): string {
  switch (instruction.kind) {
    case "stream":
      return xmlResponse(stream(instruction.stream), afterStream(instruction.stream));
    case "transfer":
      return xmlResponse(dial(instruction.transfer));
    case "refuse": {
      // Before anything is spoken, the call is not answered: https://www.plivo.com/docs/voice/xml/routing
      if (instruction.text === undefined) return xmlResponse(xmlElement("Hangup", { reason: instruction.reason }));
      const language = spokenLanguage(instruction.language, LANGUAGES);
      return xmlResponse(xmlElement("Speak", { language }, xmlText(instruction.text)), xmlElement("Hangup"));
    }
    case "hang_up":
      return xmlResponse(xmlElement("Hangup"));
  }
}

/**
 * A bidirectional stream; when it ends, the next element follows. Pages differ in the default of `contentType`:
 * https://www.plivo.com/docs/voice-agents/audio-streaming/xml/stream
 */
const stream = ({ url, callId }: StreamOrder): string =>
  xmlElement(
    "Stream",
    {
      bidirectional: "true",
      keepCallAlive: "true",
      audioTrack: "inbound",
      contentType: "audio/x-mulaw;rate=8000",
      extraHeaders: `callId=${callId}`,
    },
    xmlText(url),
  );

/** Without it the call would end with its stream: https://docs.plivo.com/docs/voice/xml/audiostream */
const afterStream = ({ afterUrl }: StreamOrder): string =>
  xmlElement("Redirect", { method: "POST" }, xmlText(retriedUrl(afterUrl)));

/** The document that `action` answers continues the call; `callbackUrl` learns that the target has answered: https://www.plivo.com/docs/voice/xml/dial */
function dial({ target, from, ringMsMax, resultUrl }: TransferOrder): string {
  const url = retriedUrl(resultUrl);
  return xmlElement(
    "Dial",
    {
      action: url,
      method: "POST",
      callbackUrl: url,
      callbackMethod: "POST",
      redirect: "true",
      timeout: String(secondsOf(ringMsMax, RING_S_MIN, RING_S_MAX)),
      callerId: from.replace(/^\+/, ""),
    },
    target.startsWith("+")
      ? xmlElement("Number", {}, xmlText(target.slice(1)))
      : xmlElement("User", {}, xmlText(target)),
  );
}
