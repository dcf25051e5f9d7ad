import {
  type Asked,
  and,
  averaged,
  best,
  by,
  counted,
  different,
  ids,
  is,
  rowsOf,
  shareOf,
  within,
} from '../expected-answers.js';
import type { Row } from '../fixtures.js';

const tagged =
  (...tags: string[]) =>
  ({ tags: all }: Row) =>
    tags.every(tag => (all as string[]).includes(tag));
const sent = (start: string, end: string) => within('shipped_on', start, end);
const Q1 = sent('2025-01-01', '2025-04-01');

/** Verbs of motion and of carrying, tags, quarters in words. */
export const SHIPMENT_QUESTIONS: readonly Asked[] = [
  ['How many shipments went to Rome?', counted(is('destination', 'Rome'))],
  ['Which shipments went from Paris to Rome?', ids(and(is('origin', 'Paris'), is('destination', 'Rome')))],
  ['shipments from Paris to Rome', ids(and(is('origin', 'Paris'), is('destination', 'Rome')))],
  ['shipments to Rome from Paris', ids(and(is('origin', 'Paris'), is('destination', 'Rome')))],
  [
    'shipments from Paris to Rome or Lima',
    ids(and(is('origin', 'Paris'), is('destination', 'Rome', 'Lima'))),
  ],
  ['How many shipments were sent from Oslo?', counted(is('origin', 'Oslo'))],
  [
    'How many shipments were sent to Lima in 2025?',
    counted(and(is('destination', 'Lima'), sent('2025-01-01', '2026-01-01'))),
  ],
  ['average weight of shipments that went to Paris', averaged('weight_kg', is('destination', 'Paris'))],
  ['shipments to Rome and from Paris', ids(and(is('origin', 'Paris'), is('destination', 'Rome')))],
  ['shipments from Paris or Oslo', ids(is('origin', 'Paris', 'Oslo'))],
  ['shipments to Rome', ids(is('destination', 'Rome'))],
  ['shipments from Rome', ids(is('origin', 'Rome'))],
  ['shipments in Rome', 'refused'],
  ['How many shipments went to Oslo?', 'refused'],
  ['shipments from Lima', 'refused'],
  ['How many shipments went?', 'refused'],
  ['How many shipments went to DHL?', 'refused'],
  ['Which carriers went to Rome?', 'refused'],
  ['How many shipments did DHL carry?', counted(is('carrier', 'DHL'))],
  [
    'How many shipments did DHL carry to Rome?',
    counted(and(is('carrier', 'DHL'), is('destination', 'Rome'))),
  ],
  ['shipments carried by UPS in 2025', ids(and(is('carrier', 'UPS'), sent('2025-01-01', '2026-01-01')))],
  ['Who carried the most shipments?', best(1, by('carrier', counted()))],
  ['shipments tagged cold', ids(tagged('cold'))],
  ['How many shipments are tagged cold and fragile?', counted(tagged('cold', 'fragile'))],
  ['shipments not tagged cold', ids(row => !tagged('cold')(row))],
  ['tagged shipments to Rome', 'refused'],
  ['Who tagged shipments to Rome?', 'refused'],
  ['untagged shipments', 'refused'],
  ['How many shipments tagged cold went to Lima?', counted(and(tagged('cold'), is('destination', 'Lima')))],
  ['How many shipments in the first quarter of 2025?', counted(Q1)],
  ['How many shipments in the last quarter of 2025?', counted(sent('2025-10-01', '2026-01-01'))],
  ['first quarter of 2025', 'refused'],
  ['shipments in the first 2025', 'refused'],
  ['Which countries do we ship to?', different('country')],
  ['Which cities do we ship to?', 'refused'],
  ['How many countries do we ship to?', rows => new Set(rows.map(({ country }) => country)).size],
  ['Which destinations do we ship to?', different('destination')],
  ['Which origins do we ship to?', 'refused'],
  ['Which carriers do we ship to?', 'refused'],
  ['How many shipments to ship?', 'refused'],
  [
    'more shipments to Rome or to Paris?',
    rowsOf({ Rome: is('destination', 'Rome'), Paris: is('destination', 'Paris') }, counted),
  ],
  ['What percentage of shipments went to Rome?', shareOf(counted(is('destination', 'Rome')), counted())],
  ['share of shipments carried by DHL', shareOf(counted(is('carrier', 'DHL')), counted())],
  ["Combien d'expéditions de Paris à Rome ?", counted(and(is('origin', 'Paris'), is('destination', 'Rome')))],
  ["Combien d'expéditions au premier trimestre 2025 ?", counted(Q1)],
];
