import { type Sql, sql } from '../../base/sql/index.js';

/**
 * SQL of a text without differences of case: the full case folding of Unicode, whatever the database's language is.
 * Search indexes are on this expression. In a text of ASCII only the letters have to become small.
 */
export function foldedCase(text: Sql): Sql {
  return sql`CASE WHEN octet_length(${text}) = length(${text}) THEN lower(${text} COLLATE "C") ELSE ${foldedUnicode(text)} END`;
}

/**
 * As `foldedCase`, for an expression that is computed once only. Capital letters are compared, because `ß`, `ſ` and `ς`
 * have the same as `ss`, `s` and `σ`. Small letters are the result, because pg_trgm makes them of capitals by the language
 * of the database, in which a sigma at the end of a word is another letter. `ẞ` counts as `ß`; `ı` must not become `I`,
 * so a code point stands for it that no text has (U+FDD0).
 */
export function foldedUnicode(text: Sql): Sql {
  const capitals = sql`upper(replace(replace(${text}, 'ẞ', 'ß'), 'ı', U&'\\FDD0') COLLATE "und-x-icu")`;
  return sql`lower(replace(${capitals}, 'Σ', 'σ')) COLLATE "C"`;
}
