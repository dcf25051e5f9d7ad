const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

/**
 * Names that PostgreSQL takes for abbreviations with a fixed offset, although they are zones with summer time: the zones
 * that they stand for since version 2024b of the time zone database.
 */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  CET: 'Europe/Brussels',
  MET: 'Europe/Brussels',
  EET: 'Europe/Athens',
  WET: 'Europe/Lisbon',
};

/** The name under which PostgreSQL knows an IANA time zone, such as `Europe/Paris`; undefined if there is none. */
export function timeZone(name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return undefined;
  }
  return ABBREVIATIONS[name.toUpperCase()] ?? name;
}
