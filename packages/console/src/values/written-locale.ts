import { language } from '../i18n/language.js';

/**
 * The locale in which a person writes numbers and dates. People whose language the console lacks see an English page, but
 * their browser knows how they write.
 */
export function writtenLocale(): string {
  const page = language();
  const own = navigator.language;
  if (own.startsWith(page)) return own;
  return page === 'en' && !own.startsWith('fr') ? own : page;
}
