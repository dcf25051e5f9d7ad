import type { Me } from '../api/session.js';
import { t } from '../i18n/language.js';

/** What to call a person: the name, else the e-mail address. Visitors have neither. */
export function nameOf({ firstName, lastName, email }: Pick<Me, 'firstName' | 'lastName' | 'email'>): string {
  return fullName({ firstName, lastName }) || email || t('account.somebody');
}

export function fullName({ firstName, lastName }: Pick<Me, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
