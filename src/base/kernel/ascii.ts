/*
 * Codes of the ASCII characters that give JSON and CSV their structure. They are the bytes of the characters in UTF-8,
 * and their code units in strings.
 */

export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
