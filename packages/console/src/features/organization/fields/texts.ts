/** The entries of a text that people separate by lines, commas, semicolons or spaces, each once. */
export function entriesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}

/** The slug that the service would take for a name: `Nightly import` → `nightly-import`. */
export function slugOf(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}

/** The last moment of a day of the browser's time zone (`2026-12-31`), as the service takes it; null without a day. */
export function endOfDay(day: string): string | null {
  const end = new Date(`${day}T23:59:59`);
  return day === '' || Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** The day of an instant in the browser's time zone, as a field for dates takes it; empty for null. */
export function dayOf(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
