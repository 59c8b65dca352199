// Written by `npm run fit:end-of-turn`, from the development speech. Not to be edited.

/** The score of a pause of which nothing is known. */
export const BIAS = -0.19;

/** The weights of FEATURES, in their order. Those by hand are for what recorded prompts cannot show. */
export const WEIGHTS: readonly number[] = [
  0.53, // question
  -0.89, // comma
  -1, // trailing word: by hand, in features.ts
  -2, // hesitation: by hand, in features.ts
  0.42, // answer
  -1.5, // few digits: by hand, in features.ts
  -0.6, // few letters
  -1.47, // many words
  1.98, // long turn
  -0.41, // caller pauses often
  1.5, // expected answer: by hand, in features.ts
];
