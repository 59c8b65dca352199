/** What the service itself says, without a model. One table: another language is another line. */
interface Phrases {
  /** To a caller who has been silent too long. */
  stillThere: string;
  /** When the model failed. */
  apology: string;
  /** When an answer takes long. */
  oneMoment: string;
  /** When we end the call, for a reason that is nobody's in it. */
  goodbye: string;
}

const ENGLISH: Phrases = {
  stillThere: "Are you still there?",
  apology: "I am sorry, could you say that again?",
  oneMoment: "One moment, please.",
  goodbye: "We have to end this call now. Goodbye.",
};

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: ENGLISH,
  de: {
    stillThere: "Sind Sie noch da?",
    apology: "Entschuldigung, könnten Sie das bitte wiederholen?",
    oneMoment: "Einen Moment, bitte.",
    goodbye: "Wir müssen jetzt auflegen. Auf Wiederhören.",
  },
  es: {
    stillThere: "¿Sigue usted ahí?",
    apology: "Lo siento, ¿podría repetirlo?",
    oneMoment: "Un momento, por favor.",
    goodbye: "Tenemos que terminar la llamada. Adiós.",
  },
  fr: {
    stillThere: "Êtes-vous toujours là ?",
    apology: "Je suis désolé, pourriez-vous répéter ?",
    oneMoment: "Un instant, s’il vous plaît.",
    goodbye: "Nous devons mettre fin à cet appel. Au revoir.",
  },
  it: {
    stillThere: "È ancora in linea?",
    apology: "Mi scusi, potrebbe ripetere?",
    oneMoment: "Un attimo, per favore.",
    goodbye: "Dobbiamo terminare la chiamata. Arrivederci.",
  },
  nl: {
    stillThere: "Bent u er nog?",
    apology: "Sorry, kunt u dat herhalen?",
    oneMoment: "Een ogenblik, alstublieft.",
    goodbye: "We moeten nu ophangen. Tot ziens.",
  },
  pt: {
    stillThere: "Você ainda está aí?",
    apology: "Desculpe, poderia repetir?",
    oneMoment: "Um momento, por favor.",
    goodbye: "Precisamos encerrar a chamada. Até logo.",
  },
};

/** The phrases of a language code such as `de` or `de-AT`; English where there are none. */
export const phrasesOf = (language: string): Phrases =>
  PHRASES[language.split("-", 1)[0]?.toLowerCase() ?? ""] ?? ENGLISH;
