import { primaryLanguage } from "../../../core/text/language-tags.ts";

/** The phrases of the reference LLM in one language. */
export interface ReferencePhrases {
  opening: string;
  fallback: string;
  goodbye: string;
  /** Asks for an argument of a tool: it precedes a description of the argument, such as "city". */
  askFor: string;
  /** Joins the last two of several things. */
  or: string;
  and: string;
  /** After a tool result that is an error. */
  toolFailed: string;
  /** After a tool result without anything to speak. */
  toolDone: string;
  /** Before a transfer. */
  transferring: string;
  /** The caller no longer wants the tool whose argument was asked for. */
  dropped: string;
  yes: string;
  no: string;
}

const ENGLISH: ReferencePhrases = {
  opening: "Hello, how can I help you?",
  fallback: "I am sorry, I do not know that. Is there anything else I can help you with?",
  goodbye: "Thank you for calling. Goodbye!",
  askFor: "Please tell me the ",
  or: "or",
  and: "and",
  toolFailed: "I am sorry, that did not work. Is there anything else I can help you with?",
  toolDone: "That is done.",
  transferring: "One moment, I am transferring you.",
  dropped: "All right. Is there anything else I can help you with?",
  yes: "yes",
  no: "no",
};

const PHRASES: Readonly<Record<string, ReferencePhrases>> = {
  en: ENGLISH,
  de: {
    opening: "Guten Tag, wie kann ich Ihnen helfen?",
    fallback: "Das weiß ich leider nicht. Kann ich sonst noch etwas für Sie tun?",
    goodbye: "Vielen Dank für Ihren Anruf. Auf Wiederhören!",
    askFor: "Bitte nennen Sie mir: ",
    or: "oder",
    and: "und",
    toolFailed: "Das hat leider nicht geklappt. Kann ich sonst noch etwas für Sie tun?",
    toolDone: "Das ist erledigt.",
    transferring: "Einen Moment, ich verbinde Sie.",
    dropped: "In Ordnung. Kann ich sonst noch etwas für Sie tun?",
    yes: "ja",
    no: "nein",
  },
  es: {
    opening: "Hola, ¿en qué puedo ayudarle?",
    fallback: "Lo siento, eso no lo sé. ¿Puedo ayudarle en algo más?",
    goodbye: "Gracias por su llamada. ¡Adiós!",
    askFor: "Por favor, dígame: ",
    or: "o",
    and: "y",
    toolFailed: "Lo siento, no ha funcionado. ¿Puedo ayudarle en algo más?",
    toolDone: "Ya está hecho.",
    transferring: "Un momento, le paso la llamada.",
    dropped: "De acuerdo. ¿Puedo ayudarle en algo más?",
    yes: "sí",
    no: "no",
  },
  fr: {
    opening: "Bonjour, comment puis-je vous aider ?",
    fallback: "Je suis désolé, je ne sais pas. Puis-je vous aider pour autre chose ?",
    goodbye: "Merci de votre appel. Au revoir !",
    askFor: "Veuillez me donner : ",
    or: "ou",
    and: "et",
    toolFailed: "Je suis désolé, cela n’a pas marché. Puis-je vous aider pour autre chose ?",
    toolDone: "C’est fait.",
    transferring: "Un instant, je vous transfère.",
    dropped: "Très bien. Puis-je vous aider pour autre chose ?",
    yes: "oui",
    no: "non",
  },
};

/** The phrases of a language code such as `de` or `de-AT`; English for a language without phrases. */
export const referencePhrases = (language: string): ReferencePhrases => PHRASES[primaryLanguage(language)] ?? ENGLISH;

/** `a`, `a or b`, `a, b or c`. */
export function joinedBy(word: string, items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${word} ${last}`;
}
