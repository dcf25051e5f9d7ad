import { language } from '../i18n/language.js';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A number of bytes as people read it, such as "1.5 MB". */
export function byteSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  const format = new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: UNITS[power] as string,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
  return format.format(bytes / 1024 ** power);
}
