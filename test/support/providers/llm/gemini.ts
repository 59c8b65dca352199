/** Responses in the form of the Gemini API's streamGenerateContent; see fixtures/provider/README.md. */

interface GeminiFakePart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args?: object };
}

export const geminiChunk = (
  parts: readonly GeminiFakePart[],
  outputTokens: number,
  finishReason?: string,
  continuationToken?: string,
): string =>
  `data: ${JSON.stringify({
    candidates: [{ content: { parts, role: "model" }, index: 0, finishReason, continuationToken }],
    usageMetadata: { promptTokenCount: 21, candidatesTokenCount: outputTokens, totalTokenCount: 21 + outputTokens },
    modelVersion: "fake",
    responseId: "answer-1",
  })}\r\n\r\n`;

/** The beginning of a reply with `texts`, one per chunk. */
export const unfinishedGemini = (...texts: readonly string[]): string[] =>
  texts.map((text, index) => geminiChunk([{ text }], index + 1));

export const geminiAnswer = (...texts: readonly string[]): string[] =>
  texts.map((text, index) => geminiChunk([{ text }], index + 1, index === texts.length - 1 ? "STOP" : undefined));
