/** Whether a text has the form of an email address: only a message to it would show whether it exists. */
export const isEmail = (text: string): boolean => /^[^\s\p{C}@"<>,;]+@[^\s\p{C}@"<>,;]+$/u.test(text);

/** The form in which emails are stored and compared. */
export const normalizedEmail = (given: string): string => given.normalize("NFC").toLowerCase();
