// @ts-check

/**
 * @param {string} name
 * @param {string} text
 */
export function positive(name, text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a positive whole number`);
  return number;
}
