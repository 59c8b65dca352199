// Written by `npm run fit:end-of-turn`, from the development speech. Not to be edited.

/** The score of a pause of which nothing is known. */
export const BIAS = -0.21;

/** The weights of FEATURES, in their order. Those by hand are for what recorded prompts cannot show. */
export const WEIGHTS: readonly number[] = [
  0.54, // question
  -0.85, // comma
  -1, // trailing word: by hand, in features.ts
  -2, // hesitation: by hand, in features.ts
  0.41, // answer
  -1.53, // few digits
  -0.45, // few letters
  -1.21, // many words
  1.67, // long turn
  -0.47, // caller pauses often
  1.5, // expected answer: by hand, in features.ts
];
