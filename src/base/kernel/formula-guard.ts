/**
 * The first character of a field that makes spreadsheets run it as a formula: = + - @ tab and line ends, also in the full
 * width of East Asian keyboards (OWASP, "CSV Injection").
 */
export const DANGEROUS = /^[=+\-@\t\r\n＝＋－＠]/;
/** A negative number is a number for spreadsheets too. */
export const NEGATIVE = /^-\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. */
export function guardedText(text: string): string {
  return DANGEROUS.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
}
