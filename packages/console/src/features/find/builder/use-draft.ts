import { useState } from 'react';
import { equalJson } from '../../../values/json.js';

/**
 * The text of an input whose value is not text. What somebody types stays as it is, also while it is not a value yet
 * ("1." or "{"); a value that comes from elsewhere replaces it.
 */
export function useDraft(
  value: unknown,
  textOf: (value: unknown) => string,
  parse: (text: string) => unknown,
): readonly [string, (text: string) => unknown] {
  const [draft, setDraft] = useState(() => textOf(value));
  const shown = equalJson(parse(draft), value) ? draft : textOf(value);
  const type = (text: string) => {
    setDraft(text);
    return parse(text);
  };
  return [shown, type];
}
