import type { MessageKey } from '../../../i18n/language.js';
import { isObject } from '../../../values/json.js';
import { parseJson, type Span } from './json-text.js';
import { refusedPlaces } from './refused-places.js';

/** Something wrong at a place of the text: as the key of a text of the console, or in the words of the service. */
export type Finding = Span & ({ readonly key: MessageKey } | { readonly message: string });

/** What is wrong with the text of a filter, and what the service refused in it. */
export function findingsIn(text: string, refusal: string | undefined): readonly Finding[] {
  if (text.trim() === '') return [];
  const { value, problems, spans } = parseJson(text);
  if (problems.length > 0) {
    return problems.map(({ kind, from, to }) => ({ from, to, key: `find.json_${kind}` as const }));
  }
  if (!isObject(value)) return [{ from: 0, to: text.length, key: 'find.json_object' }];
  if (refusal === undefined) return [];
  return refusedPlaces(refusal, value).flatMap(path => {
    const span = spans.get(JSON.stringify(path));
    return span === undefined ? [] : [{ ...span, message: refusal }];
  });
}

/** The number of the line, from 1. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
