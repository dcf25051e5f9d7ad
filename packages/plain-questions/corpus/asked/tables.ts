import type { Asked } from '../expected-answers.js';
import { EMPLOYEES, type Fixture, INCIDENTS, ORDERS } from '../fixtures.js';
import { BOOKS, READINGS, SHIPMENTS, SHOP, STAFF, TRAPS } from '../other-fixtures.js';
import { BOOK_QUESTIONS } from './books.js';
import { MORE_EMPLOYEE_QUESTIONS, MORE_INCIDENT_QUESTIONS, MORE_ORDER_QUESTIONS } from './once-refused.js';
import { READING_QUESTIONS } from './readings.js';
import { SHIPMENT_QUESTIONS } from './shipments.js';
import { SHOP_QUESTIONS } from './shop.js';
import { STAFF_QUESTIONS } from './staff.js';
import {
  BOOK_STRANGERS,
  READING_STRANGERS,
  SHOP_STRANGERS,
  STAFF_STRANGERS,
  TRAP_STRANGERS,
} from './strangers.js';
import { TRAP_QUESTIONS } from './traps.js';

/** Questions whose answers plain code finds in the records. */
export const ANSWERED_TABLES: readonly (readonly [
  name: string,
  fixture: Fixture,
  asked: readonly Asked[],
])[] = [
  ['the orders of a shop', SHOP, SHOP_QUESTIONS],
  ['books', BOOKS, BOOK_QUESTIONS],
  ['staff', STAFF, STAFF_QUESTIONS],
  ['readings of sensors', READINGS, READING_QUESTIONS],
  ['columns and values that are words of the language', TRAPS, TRAP_QUESTIONS],
  ['shipments', SHIPMENTS, SHIPMENT_QUESTIONS],
  ['the orders of a shop, by strangers', SHOP, SHOP_STRANGERS],
  ['books, by strangers', BOOKS, BOOK_STRANGERS],
  ['staff, by strangers', STAFF, STAFF_STRANGERS],
  ['readings of sensors, by strangers', READINGS, READING_STRANGERS],
  ['words of the language, by strangers', TRAPS, TRAP_STRANGERS],
  ['orders, with more than one read', ORDERS, MORE_ORDER_QUESTIONS],
  ['employees, with more than one read', EMPLOYEES, MORE_EMPLOYEE_QUESTIONS],
  ['incidents, with more than one read', INCIDENTS, MORE_INCIDENT_QUESTIONS],
];
