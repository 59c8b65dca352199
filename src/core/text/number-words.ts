const ONES = [
  ...["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
  ...["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"],
];
const TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/** The English words of a whole number in digits; from a million on, and with zeros in front, digit by digit. */
export function wordsOfNumber(digits: string): string[] {
  const value = Number(digits);
  if (digits.length > 6 || String(value) !== digits) return [...digits].map((digit) => ONES[Number(digit)] as string);
  return wordsBelowMillion(value);
}

function wordsBelowMillion(value: number): string[] {
  if (value < 20) return [ONES[value] as string];
  if (value < 100) return [TENS[Math.floor(value / 10)] as string, ...rest(value % 10)];
  if (value < 1_000) return [ONES[Math.floor(value / 100)] as string, "hundred", ...rest(value % 100)];
  return [...wordsBelowMillion(Math.floor(value / 1_000)), "thousand", ...rest(value % 1_000)];
}

const rest = (value: number): string[] => (value === 0 ? [] : wordsBelowMillion(value));
