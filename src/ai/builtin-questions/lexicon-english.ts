import type { Lexicon } from './role.js';

export const ENGLISH: Lexicon = {
  count:
    'how many, number of, count, count of, count the, the number, headcount, breakdown of, distribution of',
  exists: 'is there, are there, is there any, are there any, do we have any, do we have',
  howMuch: 'how much',
  list: 'list, show, show me, display, give, give me, find, find me, get, get me, fetch, see, tell me',
  which: 'which, who, whose',
  what: 'what, when',
  distinct: 'different, distinct, unique, various',
  all: 'all, every, any, complete',
  sum: 'sum, sum of, total, total of, sum up, overall, combined',
  avg: 'average, average of, mean, mean of, avg, on average',
  min: 'minimum, min, lowest, smallest, least, shortest, cheapest, least expensive, the least expensive, lowest paid, worst paid, lightest, minimal, the least',
  max: 'maximum, max, highest, largest, biggest, greatest, longest, maximal, most expensive, the most expensive, highest paid, best paid, highest earning, costliest, priciest, heaviest',
  group:
    'by, per, for each, for every, grouped by, group by, broken down by, split by, in each, by each, for each of, breakdown by',
  each: 'each',
  top: 'top, best, the top',
  bottom: 'bottom, worst, the bottom',
  most: 'most, the most',
  fewest: 'fewest, the fewest',
  share:
    '%, percentage, percent, percentages, share, proportion, fraction, percentage share, the share, the percentage, the proportion',
  weekday: 'weekday, weekdays, day of the week, day of week, days of the week',
  periodic: 'daily, weekly, monthly, quarterly, yearly, annual',
  newest: 'newest, the most recent, latest, most recent, last, most recently',
  oldest: 'oldest, earliest, first',
  sort: 'sorted by, sort by, ordered by, order by, ranked by, in order of, sorted, ranked',
  ascending:
    'ascending, asc, increasing, in ascending order, from lowest to highest, lowest first, smallest first, oldest first',
  descending:
    'descending, desc, decreasing, in descending order, from highest to lowest, highest first, largest first, biggest first, newest first, most recent first',
  gt: 'more than, over, above, greater than, larger than, bigger than, higher than, exceeding, exceeds, exceed, longer than, older than, heavier than, is more than, >',
  gte: 'at least, no less than, not less than, minimum of, a minimum of, greater than or equal to, not under, not below, >=, ≥',
  lt: 'less than, fewer than, under, below, smaller than, lower than, cheaper than, shorter than, younger than, lighter than, <',
  lte: 'at most, no more than, not more than, up to, maximum of, a maximum of, less than or equal to, not over, not above, not exceeding, <=, ≤',
  more: 'more, fewer',
  higher: 'higher, lower, greater, larger, bigger, smaller',
  than: 'than',
  versus: 'versus, vs, compared to, compared with',
  compare:
    'compare, comparison of, comparison between, difference between, difference in, the difference between, the difference in',
  eq: 'equal to, equals, equal, exactly, =, ==, is equal to, named, called',
  between: 'between',
  orMore: 'or more, or above, or over, and more, and above, or higher, and over, or older',
  orLess: 'or less, or fewer, or below, or under, and less, and below, or lower, or younger',
  not: 'not, all but, everything but, everyone but, anything but, any but, anyone but, non, other than, except, except for, excluding, outside, outside of, apart from, never, but not, and not, !=',
  and: 'and, &, but, as well as, and also',
  or: 'or, or else',
  with: 'with, have, has, had, having, contain a, with a, with an',
  without:
    'without, no, lacking, missing, with no, without any, has no, have no, having no, without a, without an',
  empty: 'empty, null, blank, unknown, not set, not filled, not known, unset',
  filled: 'set, filled, known, not empty, not null, not blank, not missing, present, available',
  contains: 'contains, contain, containing, includes, include, including, mentions, mentioning, mention',
  starts: 'starts with, start with, starting with, begins with, begin with, beginning with',
  ends: 'ends with, end with, ending with, ending in',
  since: 'since, starting from, from the start of, starting in',
  before: 'before, prior to, earlier than',
  after: 'after, later than',
  until: 'until, till, up until, through, no later than',
  from: 'from',
  to: 'to',
  in: 'in, during, within, on, in the, over the, for the, of the',
  record: 'record, records, row, rows, entry, entries',
  showing: 'with their, with its, with his, with her, along with, together with',
  filler:
    'a, an, the, of, at, for, is, are, was, were, be, been, being, am, do, does, did, we, our, us, i, me, my, you, your, it, its, they, their, them, he, she, his, her, ' +
    'this, that, these, those, there, please, can, could, would, will, want, like to, need, know, exist, exists, as, so, then, made, place, placed, paid by, paid with, paid via, located, based, live, lives, living, ' +
    'work, works, working, belong, belongs, come, comes, coming, came, yet, bring, brings, bring in, brings in, brought in, do we get, currently, still, now, ever, generate, generates, generated, only, just, in total, altogether, value, values, where, recorded, registered, hello, hi, ' +
    'did we get, get, got, were made, we have, and what, worth, given, ?, column, field, while, use, using, out of, whom, make',
  unsupported:
    'ratio, rate of, median, percentile, standard deviation, variance, trend, trends, growth, evolution, forecast, predict, prediction, ' +
    'correlation, correlate, correlated, why, how come, compared, comparison, difference, cumulative, running total, year over year, month over month, most common, most frequent, ' +
    'delete, remove, update, insert, drop, change, add, create, twice, double, half, weekend, moving average, except on, mode, explain, should, recommend, increase, decrease, most often, on time, late, rank, almost, about, approximately, around, nearly',
};
