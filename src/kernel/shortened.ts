/** Characters of a client's text that a message repeats (contract, "Sizes"). */
const MAX_SHOWN = 200;

/** A name or value of the client as a message shows it: whole, or its beginning with `…`. */
export function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
