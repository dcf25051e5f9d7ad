import { language } from '../i18n/language.js';

let known: { readonly language: string; readonly format: Intl.DateTimeFormat } | undefined;

/** An instant of the service in the language and time zone of the browser. */
export function moment(instant: string): string {
  const now = language();
  if (known?.language !== now) {
    // A format takes longer to make than a table of a hundred times to write.
    known = {
      language: now,
      format: new Intl.DateTimeFormat(now, { dateStyle: 'medium', timeStyle: 'short' }),
    };
  }
  return known.format.format(new Date(instant));
}
