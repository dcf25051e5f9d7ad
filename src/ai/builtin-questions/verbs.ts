import { key, sameThing } from './concepts.js';
import type { Field } from './fields.js';

/**
 * Verbs that say no more than that a record is there, by what the records are called: "orders sold in May" are orders.
 * Where the verb has a doer, the columns that may hold who it is; a person of another column did something else.
 */
export interface Verb {
  readonly doers: readonly string[];
  /** Something is handed over, so that "how many" may ask for pieces. */
  readonly trade: boolean;
}

interface Line extends Verb {
  readonly records: readonly string[];
  readonly words: readonly string[];
}

const BUYERS = 'customer, client, buyer, user, member, account, company';
const SELLERS = 'seller, salesperson, sales rep, rep, vendor, store, shop';

const TABLE: readonly Line[] = [
  line(
    'order, sale, purchase, transaction',
    'bought, buy, buys, buying, purchased, ordered, order',
    BUYERS,
    true,
  ),
  line(
    'order, sale, purchase, transaction',
    'achete, achetes, achetee, achetees, acheter, commande',
    BUYERS,
    true,
  ),
  line(
    'order, sale, purchase, transaction',
    'sold, sell, sells, selling, vendu, vendus, vendue, vendues',
    SELLERS,
    true,
  ),
  line('order', 'place, placed', BUYERS),
  line(
    'book, article, review, post, novel',
    'write, wrote, written, writes, ecrit, ecrits',
    'author, writer',
  ),
  line(
    'reading, measurement, measure',
    'measured, recorded, taken, took, logged, collected, mesure, mesures',
    '',
  ),
  line('incident, ticket, event, outage', 'happened, occurred, happen, occur, took place', ''),
  line('employee, staff, worker', 'employed, employ, employs', ''),
  line('loan', 'borrowed, borrow, borrows', 'borrower, member, customer, reader, user'),
  line('booking, reservation', 'booked, book, reserved', 'guest, customer, client, user, member'),
];

function line(records: string, words: string, doers: string, trade = false): Line {
  const list = (text: string) => (text === '' ? [] : text.split(', '));
  return { records: list(records), words: list(words), doers: list(doers), trade };
}

/** What a verb says of records that are called so; undefined for any other word. */
export function verbOf(word: string, entity: readonly string[]): Verb | undefined {
  return TABLE.find(
    ({ records, words }) =>
      words.includes(word) && entity.some(name => records.some(record => key([record]) === name)),
  );
}

/** The fields that may hold who did it. */
export function doersOf({ doers }: Verb, fields: readonly Field[]): Field[] {
  return fields.filter(({ kind, words }) => kind === 'text' && words.some(word => isOneOf(doers, word)));
}

/** What the columns of things and places are called, which nobody is. */
const THINGS = (
  'product, item, category, type, genre, kind, language, country, city, region, state, status, channel, tag, currency, payment, method, site, ' +
  'sensor, subject, title, department, office, level, priority, severity, color, size, brand'
).split(', ');

/** True where a condition of this field goes with the verb: it is about who did it, or about no person. */
export function goesWith({ doers }: Verb, { kind, words }: Field): boolean {
  if (kind !== 'text' || doers.length === 0) return true;
  return words.some(word => isOneOf(doers, word) || isOneOf(THINGS, word));
}

function isOneOf(names: readonly string[], word: string): boolean {
  return names.some(name => sameThing(key([name]), word));
}
