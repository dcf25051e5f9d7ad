/** The columns of the sample collection. */
export const SAMPLE_COLUMNS = {
  order_number: { type: 'text', nullable: false },
  customer: { type: 'text', nullable: false },
  city: { type: 'text' },
  status: { type: 'text', nullable: false },
  ordered_at: { type: 'datetime', nullable: false },
  shipped_on: { type: 'date' },
  items: { type: 'integer', nullable: false },
  amount: { type: 'double', nullable: false },
  express: { type: 'boolean', nullable: false },
  tags: { type: 'array' },
  address: { type: 'json' },
} as const;

const CUSTOMERS = ['Amara Okafor', 'Léa Martin', 'Jonas Weber', 'Sofia Rossi', 'Mei Tanaka', 'Omar Haddad'];
const CITIES = ['Lagos', 'Lyon', 'Bremen', 'Torino', 'Osaka', 'Tunis'];
const STATUSES = ['paid', 'shipped', 'delivered', 'delivered', 'returned', 'cancelled'];
const TAGS = ['gift', 'wholesale', 'first order', 'fragile'];

const COUNT = 200;
const DAY_MS = 86_400_000;

/** 200 invented orders of the last 120 days, always the same ones relative to `now`. */
export function sampleRecords(now: number): readonly Record<string, unknown>[] {
  const random = randomNumbers();
  const of = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: COUNT }, (_, index) => {
    const ordered = now - Math.floor(random() * 120 * DAY_MS);
    const person = Math.floor(random() * CUSTOMERS.length);
    const status = of(STATUSES);
    const isShipped = status !== 'paid' && status !== 'cancelled';
    const items = 1 + Math.floor(random() * 9);
    return {
      order_number: `S-${1001 + index}`,
      customer: CUSTOMERS[person],
      city: CITIES[person],
      status,
      ordered_at: new Date(ordered).toISOString(),
      shipped_on: isShipped ? new Date(ordered + 2 * DAY_MS).toISOString().slice(0, 10) : null,
      items,
      amount: Math.round(items * (5 + random() * 60) * 100) / 100,
      express: random() < 0.2,
      tags: TAGS.filter(() => random() < 0.2),
      address: { city: CITIES[person], zip: String(10_000 + Math.floor(random() * 89_999)) },
      // Not a column: records may have more fields than the schema declares.
      ...(random() < 0.15 && { note: of(['Leave at the door', 'Call first', 'Second attempt']) }),
    };
  });
}

/** Numbers from 0 to 1 that are the same at every call (mulberry32). */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
