import { key } from './concepts.js';
import { costOf, type Field } from './fields.js';
import type { Ground } from './ground.js';
import { PHRASES } from './lexicon.js';
import type { Mark } from './marks.js';
import { best, fieldsNamed, isEntity, isSum } from './named-fields.js';
import { numberAt } from './recognise-number.js';
import { isYear, periodAt } from './recognise-period.js';
import type { Role } from './role.js';
import { fold, type Language, type Token } from './tokenize.js';
import { verbOf } from './verbs.js';

interface Found {
  readonly mark: Omit<Mark, 'text'>;
  readonly length: number;
}

const MAX_RUN = 8;
const CALENDAR_UNIT = /^(?:day|week|month|quarter|year|jour|semaine|mois|trimestre|an|annee)s?$/;

/** Cuts a question into marks: at each place the longest piece that means something, with all that it may mean. */
export function recognise(tokens: readonly Token[], ground: Ground): Mark[] {
  const marks: Mark[] = [];
  for (let at = 0; at < tokens.length; ) {
    const { mark, length } = longest(tokens, at, ground);
    const text = tokens
      .slice(at, at + length)
      .map(token => token.text)
      .join(' ');
    marks.push({ text, ...mark });
    at += length;
  }
  return marks;
}

function longest(tokens: readonly Token[], at: number, ground: Ground): Found {
  const token = tokens[at]!;
  if (token.quoted)
    return { mark: { quoted: true, ...some('values', ground.values.quoted(token.text)) }, length: 1 };
  if (token.word === ',') return { mark: { comma: true }, length: 1 };
  const candidates = [
    ...runs(tokens, at, ground),
    ...phrases(tokens, at, ground.language),
    ...periods(tokens, at, ground),
    ...entities(tokens, at, ground),
    ...contraries(token, ground),
    ...verbs(token, ground),
    ...ordinals(token),
    ...single(tokens, at, ground.language),
  ];
  const length = Math.max(1, ...candidates.map(candidate => candidate.length));
  const marks = candidates.filter(candidate => candidate.length === length).map(({ mark }) => mark);
  return { mark: settled(Object.assign({}, ...marks), tokens, at, length), length };
}

/** Roles that a word keeps even where a field has it for a name. */
const KEPT: readonly (Role | undefined)[] = [
  'sum',
  'avg',
  'min',
  'max',
  'in',
  'and',
  'or',
  'not',
  'from',
  'to',
  'with',
  'without',
  'group',
];
const LITTLE: readonly (Role | undefined)[] = ['filler', 'in', 'and', 'or', 'from', 'to', 'without'];

/** A word of the language is also a field only if that is its whole name, a value only if it is written like one. */
function settled(
  mark: Omit<Mark, 'text'>,
  tokens: readonly Token[],
  at: number,
  length: number,
): Omit<Mark, 'text'> {
  if (mark.role === undefined || length > 1) return mark;
  const { text, word } = tokens[at]!;
  const { fields, values, role, ...rest } = mark;
  const whole = fields?.filter(field => field.words.length === 1 && field.words[0] === key([word])) ?? [];
  const written = values?.filter(match => match.values.includes(text) && text !== fold(text)) ?? [];
  const little = LITTLE.includes(role);
  if (written.length > 0 && little && at > 0) return { ...rest, values: written };
  if (whole.length > 0 && !KEPT.includes(role)) return { ...rest, fields: whole };
  return { ...rest, role, ...some('fields', whole), ...some('values', little ? [] : (values ?? [])) };
}

function some<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { [Key in Name]?: readonly Item[] } {
  return items.length === 0 ? {} : ({ [name]: items } as { [Key in Name]: readonly Item[] });
}

/** Fields and values that the words from here on name. */
function runs(tokens: readonly Token[], at: number, ground: Ground): Found[] {
  const found: Found[] = [];
  for (let length = Math.min(MAX_RUN, tokens.length - at); length > 0; length -= 1) {
    const run = tokens.slice(at, at + length);
    if (run.some(({ quoted, word }) => quoted || word === ',')) continue;
    const words = run.map(({ word }) => word);
    const fields = namedAt(words, tokens[at + 1], ground);
    const values = isCalendarGroup(words) ? [] : ground.values.named(words);
    const total = isSum(words);
    if (fields.length > 0) found.push({ mark: { fields, ...(total && { total }) }, length });
    if (values.length > 0) found.push({ mark: { values }, length });
  }
  return found;
}

/** What makes "or over" the beginning of a condition: `10`, `than 10`. */
function beginsBound(token: Token | undefined): boolean {
  return token !== undefined && (token.number !== undefined || /^(?:than|de|d'|que|[€$£])$/.test(token.word));
}

function phrases(tokens: readonly Token[], at: number, language: Language): Found[] {
  const known = PHRASES[language].get(tokens[at]!.word) ?? [];
  const fitting = known.filter(({ words }) =>
    words.every((word, index) => tokens[at + index]?.word === word),
  );
  // "or over 10" is another condition; "10 or over" is a bound.
  const bounds = fitting.filter(
    ({ role, words }) => !['orMore', 'orLess'].includes(role) || !beginsBound(tokens[at + words.length]),
  );
  return bounds.slice(0, 1).map(({ role, words }) => ({ mark: { role }, length: words.length }));
}

function periods(tokens: readonly Token[], at: number, { language, today }: Ground): Found[] {
  const hit = periodAt(tokens, at, language, today);
  // "may" is a month only where a month can stand.
  const modal =
    tokens[at]!.word === 'may' &&
    hit?.length === 1 &&
    !/^(?:in|since|before|after|until|of|and|between|from|to|last|during)$/.test(tokens[at - 1]?.word ?? '');
  return hit === undefined || modal ? [] : [{ mark: { period: hit.period }, length: hit.length }];
}

function entities(tokens: readonly Token[], at: number, { entity }: Ground): Found[] {
  return isEntity(key([tokens[at]!.word]), entity) ? [{ mark: { entity: true }, length: 1 }] : [];
}

/** `unpaid`, `inactive`: the contrary of a boolean field. */
function contraries({ word }: Token, { fields, entity }: Ground): Found[] {
  const stems = [/^un(.{3,})$/, /^in(.{3,})$/, /^im(p.{3,})$/].map(pattern => pattern.exec(word)?.[1]);
  const found = stems.flatMap(stem =>
    stem === undefined
      ? []
      : best(
          fields.filter(({ kind }) => kind === 'boolean'),
          field => costOf([key([stem])], field, entity),
        ),
  );
  return found.length === 0 ? [] : [{ mark: { fields: found, contrary: true }, length: 1 }];
}

function verbs({ word }: Token, { entity }: Ground): Found[] {
  const verb = verbOf(word, entity);
  return verb === undefined ? [] : [{ mark: { verb }, length: 1 }];
}

const ORDINALS =
  /^(?:(second|2nd|2e|deuxieme)|(third|3rd|3e|troisieme)|(fourth|4th|4e|quatrieme)|(fifth|5th|5e|cinquieme))$/;

function ordinals({ word }: Token): Found[] {
  const at = ORDINALS.exec(word)
    ?.slice(1)
    .findIndex(each => each !== undefined);
  return at === undefined ? [] : [{ mark: { ordinal: at + 2 }, length: 1 }];
}

/** "Cost less than 10" asks for a price where nothing is called a cost. */
function namedAt(words: readonly string[], next: Token | undefined, ground: Ground): Field[] {
  const fields = fieldsNamed(words, ground);
  const isVerb = fields.length === 0 && /^costs?$/.test(words.join(' '));
  const compares = /^(?:less|more|under|over|between|at|above|below)$/.test(next?.word ?? '');
  return isVerb && compares ? fieldsNamed(['price'], ground) : fields;
}

/** "per month" asks for groups, even where a value reads so. */
function isCalendarGroup([first, unit, ...rest]: readonly string[]): boolean {
  return rest.length === 0 && /^(?:per|by|each|par|chaque)$/.test(first!) && CALENDAR_UNIT.test(unit ?? '');
}

function single(tokens: readonly Token[], at: number, language: Language): Found[] {
  const { word } = tokens[at]!;
  const number = numberAt(tokens, at, language);
  if (number !== undefined) {
    const year = number.length === 1 && isYear(number.number) ? ({ year: true } as const) : {};
    return [
      {
        mark: { number: number.number, ...(number.measure && { measure: number.measure }), ...year },
        length: number.length,
      },
    ];
  }
  return CALENDAR_UNIT.test(word) ? [{ mark: { calendarUnit: true }, length: 1 }] : [];
}
