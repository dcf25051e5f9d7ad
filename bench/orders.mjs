// @ts-check

const STATUSES = ['delivered', 'delivered', 'delivered', 'shipped', 'shipped', 'packed', 'paid', 'cancelled'];
const CHANNELS = ['web', 'app', 'phone', 'marketplace'];
const CITIES = ['Lyon', 'Kraków', 'São Paulo', 'Nairobi', 'Osaka', 'Malmö', 'Tampere', 'Québec'];
const STREETS = ['Rue de la Gare', 'Main Street', 'Lindenweg', 'Avenida Central', 'Harbour Road'];
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2025, 0, 1);

/** The schema of an order: every column type that the benchmark covers. */
export const ORDER_COLUMNS = {
  order_number: { type: 'text', nullable: false },
  customer_email: { type: 'text', nullable: false },
  status: { type: 'text', nullable: false },
  channel: { type: 'text', nullable: true },
  quantity: { type: 'integer', nullable: false },
  total: { type: 'double', nullable: false },
  gift: { type: 'boolean', nullable: true },
  ordered_at: { type: 'datetime', nullable: false },
  ship_on: { type: 'date', nullable: true },
  address: { type: 'json', nullable: true },
};

/** The index for the query "the newest 20 of one status". */
export const ORDER_INDEX = ['status', 'ordered_at'];

/**
 * Makes orders that are the same in every run with the same seed.
 * @param {number} count
 * @param {number} seed
 */
export function makeOrders(count, seed) {
  const random = mulberry32(seed);
  return Array.from({ length: count }, (_, index) => order(index, random));
}

/**
 * @param {number} index
 * @param {() => number} random
 */
function order(index, random) {
  const upTo = (/** @type {number} */ n) => Math.floor(random() * n);
  const customer = upTo(20_000);
  const orderedAt = FIRST_DAY + upTo(600 * DAY_MS);
  return {
    order_number: `SO-${String(index).padStart(8, '0')}`,
    customer_email: `customer${customer}@example.com`,
    status: STATUSES[upTo(STATUSES.length)],
    channel: CHANNELS[upTo(CHANNELS.length)],
    quantity: 1 + upTo(12),
    total: Math.round((5 + random() ** 3 * 2_000) * 100) / 100,
    gift: random() < 0.1,
    ordered_at: new Date(orderedAt).toISOString(),
    ship_on: random() < 0.9 ? new Date(orderedAt + (1 + upTo(5)) * DAY_MS).toISOString().slice(0, 10) : null,
    address: {
      street: `${STREETS[upTo(STREETS.length)]} ${1 + upTo(200)}`,
      city: CITIES[upTo(CITIES.length)],
      postcode: String(10_000 + upTo(90_000)),
      lines: customer % 7 === 0 ? ['c/o reception', `floor ${1 + upTo(9)}`] : [],
    },
  };
}

/**
 * The mulberry32 generator (public domain). 32 bits of state are enough for test data.
 * @param {number} seed
 */
export function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
