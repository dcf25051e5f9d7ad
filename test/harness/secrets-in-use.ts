/** Fields that contain a secret: in answers that show it once, and in requests that use it as proof. */
const FIELDS = new Set([
  ...['token', 'accessToken', 'access_token', 'refresh_token', 'id_token', 'registration_access_token'],
  ...['apiKey', 'orgApiKey', 'secret', 'clientSecret', 'client_secret', 'ticket', 'code'],
  ...['subject_token', 'code_verifier'],
]);
const IN_A_URL = /[?&#](?:ticket|code|token|state)=([\w-]{32,})/g;
const CREDENTIAL_COOKIE = /(?:^|;\s*)access-token=([^;]+)/;
const LENGTH = 32;
const PIECE = LENGTH / 2;
/** Base64 in both alphabets. */
const MARK = /^[\w+/=-]{32}$/;
const IS_BASE64 = Array.from({ length: 128 }, (_, code) => /[\w+/=-]/.test(String.fromCharCode(code)));

/** The secrets that an answer shows in its body, its cookie or an address. */
export function secretsShown(text: string, setCookie = '', location = ''): string[] {
  const inUrls = [...`${text} ${location}`.matchAll(IN_A_URL)].map(([, secret]) => secret as string);
  const cookie = CREDENTIAL_COOKIE.exec(setCookie)?.[1];
  return [...fieldsOf(parsed(text)), ...inUrls, ...(cookie === undefined ? [] : [cookie])];
}

/** The secrets in the fields of a parsed request body. */
export function secretsTold(body: unknown): string[] {
  return fieldsOf(body);
}

/** The credentials that a request carries. */
export function secretsSent(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const { authorization, cookie, 'x-platform-api-key': key } = headers;
  const sent = [
    String(authorization ?? '').split(' ')[1],
    key?.toString(),
    CREDENTIAL_COOKIE.exec(String(cookie ?? ''))?.[1],
  ];
  return sent.filter(secret => secret !== undefined);
}

/**
 * The last 32 characters of a secret, by which the search recognises it inside any other text. Undefined for
 * values that are not secret: too short, or the zeros of a made-up id.
 */
export function markOf(secret: string): string | undefined {
  const mark = secret.slice(-LENGTH);
  return MARK.test(mark) && new Set(mark).size > 8 ? mark : undefined;
}

/**
 * Returns a function that finds those of `marks` that occur in a text. A mark in a text covers one of the pieces of
 * half its length into which the text is cut, so only these are looked up.
 */
export function finderOf(marks: ReadonlySet<string>): (text: string) => Set<string> {
  const pieces = new Set<string>();
  for (const mark of marks) {
    for (let at = 0; at <= LENGTH - PIECE; at++) pieces.add(mark.slice(at, at + PIECE));
  }
  return text => {
    const found = new Set<string>();
    for (let at = 0; at + PIECE <= text.length; at += PIECE) {
      if (!isBase64(text, at) || !pieces.has(text.slice(at, at + PIECE))) continue;
      for (let from = Math.max(0, at + PIECE - LENGTH); from <= at; from++) {
        const part = text.slice(from, from + LENGTH);
        if (marks.has(part)) found.add(part);
      }
    }
    return found;
  };
}

/** Looks at the piece from its end, where most texts have a character that no secret has. */
function isBase64(text: string, start: number): boolean {
  let at = start + PIECE - 1;
  while (at >= start && IS_BASE64[text.charCodeAt(at)] === true) at--;
  return at < start;
}

function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'string' && FIELDS.has(name) ? [field] : fieldsOf(field),
  );
}
