import { language } from './language.js';

/** An instant of the service in the language and time zone of the browser. */
export function moment(instant: string): string {
  const format = new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' });
  return format.format(new Date(instant));
}
