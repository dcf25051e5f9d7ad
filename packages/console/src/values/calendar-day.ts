/** True for a day of the calendar as `YYYY-MM-DD`. `Date` would read 30 February as 2 March. */
export function isCalendarDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text;
}
