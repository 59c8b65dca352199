import { describe, expect, test } from "vitest";
import { FIRST_OPTIONS, formFieldsOf, optionsOf } from "../../../../web/dashboard/pages/transcriptions/options.ts";

describe("the options of a transcription", () => {
  test("are left out where they are as the service has them by itself", () => {
    expect(optionsOf(FIRST_OPTIONS)).toEqual({ options: {} });
  });

  test("are what was chosen, with one word of the vocabulary in each line", () => {
    const given = {
      language: "en-US",
      channels: "separate",
      timestamps: "segment",
      speakers: true,
      vocabulary: " Lario’s \n\nrye bread",
      redact: ["email", "card_number"],
      deleteAudio: true,
      metadata: '{"meeting": "A-17"}',
    } as const;
    const options = {
      language: "en-US",
      channels: "separate",
      timestamps: "segment",
      speakers: true,
      vocabulary: ["Lario’s", "rye bread"],
      redact: ["email", "card_number"],
      deleteAudio: true,
      metadata: { meeting: "A-17" },
    } as const;
    expect(optionsOf(given)).toEqual({ options });
    expect(formFieldsOf({ ...options, vocabulary: [...options.vocabulary], redact: [...options.redact] })).toEqual([
      ["language", "en-US"],
      ["channels", "separate"],
      ["timestamps", "segment"],
      ["speakers", "true"],
      ["vocabulary", "Lario’s"],
      ["vocabulary", "rye bread"],
      ["redact", "email"],
      ["redact", "card_number"],
      ["deleteAudio", "true"],
      ["metadata", '{"meeting":"A-17"}'],
    ]);
  });

  test("are not sent with metadata that is no JSON object", () => {
    expect(optionsOf({ ...FIRST_OPTIONS, metadata: "A-17" })).toEqual({
      problems: { metadata: expect.stringContaining("must be JSON") },
    });
  });
});
