/** A bracket expression, an escape, or a dot. Everything else has the same meaning in both languages. */
const TOKEN =
  /\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\\x\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\[\s\S]|\./gi;
const LEADING_OPTIONS = /^\(\?([imsx]+)\)/;

/**
 * Translates a MongoDB pattern (PCRE) to a PostgreSQL advanced regular expression. They differ in a few points, which
 * are translated here: the newline options, leading `(?i)`, `\b` and `\B` (word boundaries), `\z`, `\xhh`. PostgreSQL
 * itself refuses what it does not support. Sources: MongoDB's manual, $regex; PostgreSQL's manual, 9.7.3.
 */
export function toPostgresPattern(
  pattern: string,
  options: string,
): { pattern: string; ignoreCase: boolean } {
  const leading = LEADING_OPTIONS.exec(pattern);
  const letters = new Set([...options, ...(leading?.[1] ?? '')]);
  const body = pattern.slice(leading?.[0].length ?? 0);
  const dot = letters.has('s') ? '.' : '[^\\n]';
  // With options in front, PostgreSQL does not read a leading `***` as a director.
  const prefix = `(?${letters.has('m') ? 'w' : 's'}${letters.has('i') ? 'i' : ''}${letters.has('x') ? 'x' : ''})`;
  return {
    pattern: prefix + body.replace(TOKEN, token => translated(token, dot)),
    ignoreCase: letters.has('i'),
  };
}

function translated(token: string, dot: string): string {
  if (token === '.') return dot;
  if (token === '\\b') return '\\y';
  if (token === '\\B') return '\\Y';
  if (token === '\\z') return '\\Z';
  return token.replace(/\\x\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})/gi, (_all, long?: string, short?: string) => {
    return `\\U${(long ?? short ?? '').padStart(8, '0')}`;
  });
}
