import { t } from '../../../i18n/language.js';
import { type Columns } from '../../../values/field-types.js';
import { choiceOf } from '../model/choices.js';
import type { Condition, Item, Pattern } from '../model/model.js';
import { textOfChoice } from './values/choice-text.js';

const MAX_CHARACTERS = 60;

/** An item of a filter in words, with long values cut. */
export function describe(item: Item, columns: Columns): string {
  switch (item.kind) {
    case 'search':
      return t('find.said_search', { text: cut(JSON.stringify(item.text)) });
    case 'raw':
      return cut(JSON.stringify(item.filter));
    case 'elements': {
      const text = describe(item.group, {});
      const operator = textOfChoice(choiceOf(item, columns));
      return t('find.said_element', { field: item.field || t('find.element'), operator, text });
    }
    case 'condition':
      return describeCondition(item, columns);
    case 'group': {
      const texts = item.items.map(inner => {
        const text = describe(inner, columns);
        return inner.kind === 'group' ? `(${text})` : text;
      });
      if (item.mode === 'none') return t('find.said_none', { text: texts.join(', ') });
      return texts.join(t(`find.said_${item.mode}`));
    }
  }
}

function describeCondition(item: Condition, columns: Columns): string {
  const choice = choiceOf(item, columns);
  const operator = textOfChoice(choice);
  const field = item.field || t('find.element');
  return t('find.said_is', { field, operator, value: choice.shape === 'none' ? '' : shown(item) }).trim();
}

function shown({ operator, value }: Condition): string {
  if (operator === 'matches')
    return cut(`/${(value as Pattern).pattern}/${(value as Pattern).options ?? ''}`);
  if (Array.isArray(value)) return cut(value.map(each => JSON.stringify(each)).join(', '));
  return cut(JSON.stringify(value) ?? '');
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
