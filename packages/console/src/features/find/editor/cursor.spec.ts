import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import { expect, it } from 'vitest';
import { placeAt, replacedAt } from './cursor.js';

/** The cursor is at the sign |. */
function at(marked: string) {
  const pos = marked.indexOf('|');
  const text = marked.replace('|', '');
  const state = EditorState.create({ doc: text, extensions: [json()] });
  const { from, to, hasColon } = replacedAt(state, pos);
  return { place: placeAt(state, pos), replaced: text.slice(from, to), hasColon };
}

it.each([
  ['{|}', 'name', [], ''],
  ['{"ye|"}', 'name', [], '"ye"'],
  ['{"ye|": 1}', 'name', [], '"ye"'],
  ['{"a": 1, |}', 'name', [], ''],
  ['{"year": {"$g|"}}', 'name', ['year'], '"$g"'],
  ['{"year": {|}}', 'name', ['year'], ''],
  ['{"$or": [{"a": 1}, {"|"}]}', 'name', ['$or', 1], '""'],
  ['{"lent": t|}', 'value', ['lent'], 't'],
  ['{"lent": |}', 'value', ['lent'], ''],
  ['{"lent": {"$in": [true, |]}}', 'value', ['lent', '$in', 1], ''],
])('%s', (text, kind, path, replaced) => {
  expect(at(text)).toMatchObject({ place: { kind, path }, replaced });
});

it('sees a colon after a name', () => {
  expect(at('{"ye|" : 1}').hasColon).toBe(true);
  expect(at('{"ye|"}').hasColon).toBe(false);
});

it('has no place outside of the object', () => {
  expect(at('|').place).toBeUndefined();
});
