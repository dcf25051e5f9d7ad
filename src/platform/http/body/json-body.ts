import { isAscii, isUtf8, transcode } from 'node:buffer';
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../../../base/kernel/ascii.js';
import { ownTurn } from '../../../base/kernel/bounds/own-turn.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { MAX_MEMBERS } from '../../../base/kernel/limits.js';

/**
 * Records have up to 100 levels, and requests wrap them in a few more. Every recursive function over a body supports
 * this depth.
 */
const MAX_LEVELS = 250;

/** When a body is parsed in pieces, and the approximate size of a piece. */
interface ParseSizes {
  /** A body with at most this many bytes and values is parsed at once. */
  readonly atOnceBytes: number;
  readonly atOnceValues: number;
  readonly pieceBytes: number;
}

/** JSON.parse blocks for 20 to 80 ms with so many values, and for a few milliseconds (40 at most) with a piece. */
const SIZES: ParseSizes = {
  atOnceBytes: 2 * 1024 * 1024,
  atOnceValues: 50_000,
  pieceBytes: 128 * 1024,
};

/** Converting shorter texts takes longer than decoding them. */
const TRANSCODED_BYTES = 4 * 1024;

/** 1 for bytes that are part of the JSON structure outside strings. */
const STRUCTURE = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) STRUCTURE[byte] = 1;

/**
 * Parses a JSON body. Refuses invalid UTF-8, malformed JSON, too many levels and `__proto__` keys, also escaped ones. A
 * large body is parsed in pieces with other requests in between: JSON.parse would block for one and a half seconds with
 * 10 MiB of small keys. Small bodies, nearly all, are parsed at once. Throws 413 for more than `mostContainers` lists
 * and objects. `owner`: see `ownTurn`.
 */
export function parseJson(
  bytes: Buffer,
  sizes = SIZES,
  mostContainers = Number.POSITIVE_INFINITY,
  owner = '',
): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const large = largeContainers(bytes, sizes, mostContainers);
  if (large === undefined) return parseText(textOf(bytes));
  return new Pieces(bytes, large, sizes.pieceBytes, owner).parse();
}

/** The text of valid UTF-8. Node converts it to UTF-16 in a third of the time in which it decodes it byte by byte. */
function textOf(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (bytes.length < TRANSCODED_BYTES) return bytes.toString('utf8');
  return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

function parseText(text: string): unknown {
  // Every letter of `__proto__` may be escaped; they are between U+005F and U+0074.
  const suspicious = text.includes('__proto__') || (text.includes('\\u') && /\\u00[5-7]/i.test(text));
  try {
    return JSON.parse(text, suspicious ? refuseProto : undefined);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw malformed((error as Error).message.slice(0, 200));
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw invalid('A field must not be named __proto__.');
  return value;
}

function tooDeep(): PlatformError {
  return invalid(`The body has more than ${MAX_LEVELS} levels; a record may have 100 levels.`);
}

function tooManyContainers(most: number): PlatformError {
  return new PlatformError(
    'PayloadTooLarge',
    `The body has more than ${most} lists and objects, for which this service has no memory. Send it in smaller parts.`,
  );
}

function malformed(reason: string): PlatformError {
  return invalid(`The body is not valid JSON: ${reason}`);
}

/**
 * The start and end of each list and object that is larger than a piece; undefined for a body that is parsed at once.
 * The single pass over the bytes also refuses too many levels and too large objects. Brackets are matched only in large
 * bodies; for others JSON.parse does it.
 */
function largeContainers(
  bytes: Buffer,
  sizes: ParseSizes,
  mostContainers: number,
): Map<number, number> | undefined {
  const { atOnceBytes, atOnceValues, pieceBytes } = sizes;
  const opened: number[] = [];
  /** Commas in each container around the innermost one. */
  const outer: number[] = [];
  const large = new Map<number, number>();
  let commas = 0;
  let [values, containers] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (STRUCTURE[byte] === 0) continue;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) {
      values++;
      if (++commas >= MAX_MEMBERS && bytes[opened.at(-1) ?? -1] === OPEN_OBJECT) {
        throw invalid(`The body has an object of more than ${MAX_MEMBERS} members.`);
      }
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (opened.push(at) > MAX_LEVELS) throw tooDeep();
      if (++containers > mostContainers) throw tooManyContainers(mostContainers);
      outer.push(commas);
      commas = 0;
      values++;
    } else {
      const begin = opened.pop();
      commas = outer.pop() ?? 0;
      if (begin !== undefined && at - begin > pieceBytes) large.set(begin, matching(bytes, begin, at));
    }
  }
  if (bytes.length <= atOnceBytes && values <= atOnceValues) return undefined;
  if (opened.length > 0) throw malformed('a list or an object does not end');
  return large.size > 0 ? large : undefined;
}

function matching(bytes: Buffer, begin: number, end: number): number {
  if ((bytes[begin] === OPEN_LIST) !== (bytes[end] === CLOSE_LIST)) throw malformed('brackets do not match');
  return end;
}

/**
 * Index of the closing quote of the string that begins at `begin`; the length of the bytes when there is none. It looks
 * for `undefined` instead of comparing the index, because V8 compares the index of each access anyway.
 */
function endOfString(bytes: Buffer, begin: number): number {
  for (let at = begin + 1; ; ) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 2;
    else if (byte === undefined) return bytes.length;
    else at++;
  }
}

/** A large list or object inside another one, and its name there. */
interface Inner {
  readonly name: string | undefined;
  readonly value: unknown;
}

/**
 * Parses a large body piece by piece. A piece contains whole elements of a list or members of an object, and at most
 * one large container. That container is parsed separately and replaced by `null` in its piece, so JSON.parse still
 * validates every byte.
 */
class Pieces {
  constructor(
    private readonly bytes: Buffer,
    private readonly large: ReadonlyMap<number, number>,
    private readonly pieceBytes: number,
    private readonly owner: string,
  ) {}

  async parse(): Promise<unknown> {
    const [begin] = [...this.large.keys()].sort((a, b) => a - b) as [number];
    const end = this.large.get(begin) as number;
    const around = `${this.text(0, begin)}null${this.text(end + 1, this.bytes.length)}`;
    if (parseText(around) !== null) throw malformed('there is more than one value');
    return this.container(begin, end);
  }

  private async container(begin: number, end: number): Promise<unknown> {
    const whole = this.bytes[begin] === OPEN_LIST ? new LargeList() : new LargeObject();
    let pieceBegin = begin + 1;
    let before = '';
    let inner: Inner | undefined;
    let key: readonly [number, number] = [0, 0];
    let [level, isLast] = [0, false];
    for (let at = begin + 1; !isLast; at++) {
      const byte = this.bytes[at];
      isLast = at === end;
      if (byte === QUOTE) {
        const closing = endOfString(this.bytes, at);
        if (level === 0 && inner === undefined) key = [at, closing + 1];
        at = closing;
      } else if (isLast || (level === 0 && byte === COMMA && (inner || at - pieceBegin > this.pieceBytes))) {
        whole.add(before + this.text(pieceBegin, at), inner, pieceBegin === begin + 1 && isLast);
        [pieceBegin, before, inner] = [at + 1, '', undefined];
        await ownTurn(this.owner);
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        const innerEnd = this.large.get(at);
        if (innerEnd === undefined) level++;
        else {
          if (inner !== undefined) throw malformed('a comma is missing');
          const name = whole instanceof LargeObject ? (parseText(this.text(...key)) as string) : undefined;
          before = `${this.text(pieceBegin, at)}null`;
          inner = { name, value: await this.container(at, innerEnd) };
          at = innerEnd;
          pieceBegin = at + 1;
        }
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level--;
    }
    return whole.value;
  }

  private text(begin: number, end: number): string {
    return textOf(this.bytes.subarray(begin, end));
  }
}

class LargeList {
  readonly value: unknown[] = [];

  add(text: string, inner: Inner | undefined, isAll: boolean): void {
    const items = parseText(`[${text}]`) as unknown[];
    if (items.length === 0 && !isAll) throw malformed('an element is missing');
    if (inner !== undefined) items[items.length - 1] = inner.value;
    for (const item of items) this.value.push(item);
  }
}

class LargeObject {
  readonly value: Record<string, unknown> = {};

  add(text: string, inner: Inner | undefined, isAll: boolean): void {
    const members = parseText(`{${text}}`) as Record<string, unknown>;
    let isEmpty = true;
    for (const name in members) {
      this.value[name] = members[name];
      isEmpty = false;
    }
    if (isEmpty && !isAll) throw malformed('a member is missing');
    if (inner !== undefined) this.value[inner.name as string] = inner.value;
  }
}
