const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(locale: string, zone: string | undefined): Intl.DateTimeFormat {
  const key = `${locale} ${zone}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat(locale, {
      ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
      ...{ timeZone: zone, timeZoneName: 'short', numberingSystem: 'latn', calendar: 'iso8601' },
    });
    formatters.set(key, formatter);
  }
  return formatter;
}

/**
 * An instant in a time zone (default: the one of the browser), always with the name of the zone:
 * `2026-11-22 15:03:05.120 GMT+1`. Milliseconds are shown unless they are zero. Text that is no instant stays as it is.
 */
export function formatInstant(iso: string, locale: string, zone?: string): string {
  const instant = new Date(iso);
  if (Number.isNaN(instant.getTime())) return iso;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatterOf(locale, zone).formatToParts(instant)) parts[type] = value;
  const { year, month, day, hour, minute, second, timeZoneName } = parts;
  const milliseconds = instant.getUTCMilliseconds();
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}${fraction} ${timeZoneName}`;
}
