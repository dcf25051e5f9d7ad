import { t } from '../../../../i18n/language.js';
import type { Choice } from '../../model/choices.js';

/** The names of choices whose text says "not" itself. */
const NEGATED = /Not|None|absent/;

/** An operator in words. */
export function textOfChoice({ id, not }: Choice): string {
  const text = t(`find.op_${id}`);
  return not && !NEGATED.test(id) ? t('find.notText', { text }) : text;
}
