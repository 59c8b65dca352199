/** The meanings of a field's values in a description: a sentence for each. */
export const meaningsOf = (meanings: Readonly<Record<string, string>>): string =>
  Object.entries(meanings)
    .map(([value, meaning]) => `\`${value}\`: ${meaning}.`)
    .join(" ");
