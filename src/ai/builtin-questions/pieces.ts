import { key, sameThing } from './concepts.js';
import type { Field } from './fields.js';

const isOneOf = (names: readonly string[], word: string) => names.some(name => sameThing(key([name]), word));

/** Numbers that say how many pieces one record is about. */
export function piecesOf(fields: readonly Field[]): Field[] {
  return fields.filter(
    ({ kind, words }) =>
      kind === 'number' && words.some(word => isOneOf(['quantity', 'unit', 'piece', 'item'], word)),
  );
}

/** Numbers that say what one record is worth. */
function worthOf(fields: readonly Field[]): Field[] {
  return fields.filter(
    ({ kind, words }) =>
      kind === 'number' &&
      words.some(word => isOneOf(['amount'], word)) &&
      !words.some(word => isOneOf(['discount', 'tax', 'percent', 'shipping'], word)),
  );
}

/** Numbers of which a sum is as good as a count: who bought most? */
export function addedOf(fields: readonly Field[]): Field[] {
  return [...worthOf(fields), ...piecesOf(fields)];
}

/** What pieces are of. */
export function saysProduct({ words }: Field): boolean {
  return words.some(word => isOneOf(['product', 'item', 'sku', 'goods'], word));
}
