import type { Draft } from './draft.js';
import type { Ground } from './ground.js';
import type { Mark } from './marks.js';
import { readCalendar } from './read-calendar.js';
import { readFigures } from './read-figures.js';
import { readGroups, readHaving, readSort } from './read-groups.js';
import { readMost, readSuperlative } from './read-rankings.js';
import { readAsk, readCount, readLimit, readNumbered, readRecords, readShown } from './read-subject.js';
import { readDone } from './read-verbs.js';
import { Reading } from './reading.js';
import { refuseMixedLogic, refuseUnsupported, refuseWord } from './refusal.js';

/** Each takes a piece of the question and adds it to the draft, or gives nothing and leaves it to the next. */
type Reader = (reading: Reading) => true | undefined;

/** What a piece is tried as before it is a condition, in this order; and after. */
const BEFORE: readonly Reader[] = [
  readUnsupported,
  readAsk,
  readCount,
  readHaving,
  readCalendar,
  readGroups,
  readSort,
  readMost,
  readSuperlative,
  readFigures,
  readLimit,
  readNumbered,
];
const AFTER: readonly Reader[] = [readRecords, readShown, readDone, readLittle];

/** Reads the marks of a question from first to last. Every mark is used, or the question is refused for it. */
export function readQuestion(marks: readonly Mark[], ground: Ground): Draft {
  const isFiller = (mark: Mark) => mark.role === 'filler' && !mark.fields && !mark.values && !mark.verb;
  const direct = marks.map((mark, at) => ({ ...mark, direct: at > 0 && !isFiller(marks[at - 1]!) }));
  const reading = new Reading(
    direct.filter(mark => !isFiller(mark)),
    ground,
  );
  while (!reading.cursor.done) step(reading);
  reading.conditions.refuseDoubtfulDates();
  reading.draft.ofAll = reading.conditions.saysBoth || marks.some(saysOnly);
  return reading.draft;
}

function saysOnly({ text, role }: Mark): boolean {
  return role === 'filler' && /^(?:only|just|seulement|uniquement)$/i.test(text);
}

function step(reading: Reading): void {
  const { cursor, ground } = reading;
  const joined = reading.joint();
  const tried = (readers: readonly Reader[]) => readers.some(read => cursor.attempt(() => read(reading)));
  if (cursor.done && joined !== 'or') return;
  if (joined !== 'or' && tried(BEFORE)) return;
  const filter = reading.conditions.next(joined !== undefined);
  if (filter !== undefined) {
    reading.draft.conditions.push({ filter, joined: joined ?? 'and' });
    return;
  }
  if (joined === 'or') refuseMixedLogic();
  if (tried(AFTER)) return;
  const { text } = cursor.peek();
  refuseWord(text, ground.fields, ground.values.like(text.toLowerCase()));
}

function readUnsupported({ cursor }: Reading): undefined {
  if (cursor.is('unsupported')) refuseUnsupported(cursor.peek().text);
}

/** Words that only help: prepositions before what was read, "all". */
function readLittle({ cursor }: Reading): true | undefined {
  if (cursor.accept('in', 'with')) return true;
  // A span with one end; "au mois de mars" is none.
  if (/^(?:from|to)$/i.test(cursor.peek().text) && cursor.peek(1).period) return undefined;
  return cursor.accept('from', 'to', 'all', 'eq') && !cursor.done ? true : undefined;
}
