/** The lengths of card numbers (ISO/IEC 7812-1: at most 19; the shortest in use have 13). */
export const CARD_DIGITS = [13, 19] as const;

/** Whether these digits have the check digit of a card number (Luhn) and a first digit that issuers of payment cards use. */
export const isCardNumber = (digits: string): boolean => /^[2-6]/.test(digits) && isLuhn(digits);

/** Whether the last digit is the check digit of the others by Luhn's formula. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
