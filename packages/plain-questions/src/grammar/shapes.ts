import { refuse } from '../refusal.js';
import { ofField, ofNumber, ofPlace, ofPresence, ofTags, ofTime, ofValues } from './conditions.js';
import { readFigures } from './figures.js';
import * as groups from './groups.js';
import * as rankings from './rankings.js';
import type { Shapes } from './reader.js';
import * as subject from './subject.js';
import { between, beyond, comparedTo, equalTo, fromTime, fromTo, periodOf } from './tests.js';

/**
 * The table of question shapes. A question is read from left to right: at each place the first row that fits takes its
 * terms, and what they say is added to the draft. README.md says how a shape is written and how to add a row.
 */
export const SHAPES: Shapes = {
  /** What the question asks for. */
  asking: [
    ['@unsupported', 'What is the median total amount?', (_, { text }) => refuse('unsupported', text)],
    ['@list|which|what …fields', 'What is the status of order 1042?', subject.readAsk],
    ['howMuch', 'How much did Globex spend?', ({ draft }) => Object.assign(draft, { howMuch: true })],
    ['exists', 'Are there any orders in Paris?', ({ draft }) => Object.assign(draft, { count: true })],
    ['count all* @distinct? …subject', 'How many different customers?', subject.readCount],
    ['with|in? …figure …number', 'customers with more than 5 orders', groups.readHaving],
    ['@periodic &records|flow', 'monthly orders in 2025', groups.byUnit],
    ['@unit', 'Which month had the most orders?', groups.readWhen],
    ['@dateField? in? @group|each? @all? each? @unit', 'orders shipped per month', groups.readEach],
    ['group|each each|all? …fields', 'total amount by country and city', groups.readGroups],
    ['@ascending|descending', 'orders sorted by quantity descending', groups.readDirection],
    ['@sort …field', 'orders sorted by quantity', groups.readSort],
    ['@numberField @most|fewest', 'Which customer spent the most?', rankings.readSpentMost],
    ['with? @most|fewest …figure', 'Which customer has the most orders?', rankings.readMost],
    ['@ordinal @min|max …records', 'the second largest order', rankings.readNth],
    ['with? @number? @min|max|top|bottom|newest|oldest …', 'the 3 largest orders', rankings.readSuperlative],
    ['…figure …fields', 'minimum and maximum quantity', readFigures],
    ['@number records', 'Show 10 orders', subject.readLimit],
    ['entity @number', 'order 1042', subject.readNumbered],
  ],
  /** Conditions on records. Consecutive conditions are joined by "and". */
  conditions: [
    ['from &values …', 'shipments from Oslo', reader => ofPlace(reader, 'origin')],
    ['to &values …', 'shipments from Oslo to Rome', reader => ofPlace(reader, 'destination')],
    ['@not? tagged &values …', 'orders tagged urgent and fragile', ofTags],
    ['@not? with|in? @name …test', 'orders whose quantity is not above 10', ofField],
    ['@not? in|from|to|group|with|eq* @not? &values …', 'orders not in Paris or Lyon', ofValues],
    ['without @name …values', 'orders without notes', (reader, name) => ofPresence(reader, name, false)],
    [
      'not with? @name …values',
      'orders do not have notes',
      (reader, name) => ofPresence(reader, name, false),
    ],
    ['with @name …values', 'orders with notes', (reader, name) => ofPresence(reader, name, true)],
    ['@not? …time', 'orders not in March 2026', ofTime],
    ['@not? @with|in|eq? …number', 'orders over 500 euros', ofNumber],
  ],
  /** How a number is compared: `over 100`, `at most 3`. */
  numbers: [
    ['between|from @number and|to @number', 'orders with a quantity between 2 and 5', between],
    [
      '@gt|gte|lt|lte @number',
      'orders with a quantity over 5',
      (_, sign, number) => comparedTo(sign, number),
    ],
    [
      'eq? @number @orMore|orLess',
      'orders with a quantity of 5 or more',
      (_, number, sign) => comparedTo(sign, number),
    ],
    ['@eq? @number', 'orders with a quantity of 3, 4 or 5', equalTo],
  ],
  /** Which days a period selects. */
  times: [
    ['between|from|since @time in|from? and|to|until in? @time', 'orders between 2024 and 2025', fromTo],
    ['since in? @time', 'orders since 1 May 2026', (_, time) => ({ start: periodOf(time).start })],
    ['after in? @time', 'orders after May 15, 2026', (_, time) => ({ start: periodOf(time).end })],
    ['before in? @time', 'orders before 2025', (_, time) => ({ end: periodOf(time).start })],
    ['until in? @time', 'orders until yesterday', (_, time) => ({ end: periodOf(time).end })],
    ['@gt|gte|lt|lte in? @time', 'orders more than 2 years ago', beyond],
    ['@from in? @time', 'orders from March 2026', fromTime],
    ['in|eq in? @time', 'orders in the first quarter of 2025', (_, time) => periodOf(time)],
    ['@period', 'orders last month', (_, time) => time.period],
  ],
  /** Other names in the question. Tried last. */
  naming: [
    ['&records', 'orders in Paris', subject.readRecords],
    ['distinct …field', 'What are the different cities?', subject.readDistinct],
    ['@showing? &name', 'List customer and total amount of orders', subject.readShown],
    ['@verb', 'What did Globex buy last month?', subject.readVerb],
    ['motion to !any', 'Which countries do we ship to?', subject.readPlaces],
    ['motion &to|from', 'How many shipments went to Rome?', subject.readMotion],
    // Words without a meaning of their own: prepositions before what was read, "all".
    ['in|with', 'Which countries do we have orders in?', () => {}],
    ['@from|to|all|eq &any', 'all orders in Paris', subject.readLittle],
  ],
};
