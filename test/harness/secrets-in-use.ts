/** Fields that contain a secret: in answers that show it once, and in requests that use it as proof. */
const FIELDS = new Set([
  ...['token', 'accessToken', 'access_token', 'refresh_token', 'id_token', 'registration_access_token'],
  ...['apiKey', 'orgApiKey', 'secret', 'clientSecret', 'client_secret', 'ticket', 'code'],
  ...['subject_token', 'code_verifier'],
]);
const IN_A_URL = /[?&#](?:ticket|code|token|state)=([\w-]{32,})/g;
const CREDENTIAL_COOKIE = /(?:^|;\s*)access-token=([^;]+)/;
const LENGTH = 32;
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
 * Returns those of `marks` that occur in a text. Goes step by step, because a regular expression fails on runs of
 * megabytes.
 */
export function marksIn(text: string, marks: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    run = IS_BASE64[text.charCodeAt(at)] === true ? run + 1 : 0;
    if (run < LENGTH) continue;
    const part = text.slice(at - LENGTH + 1, at + 1);
    if (marks.has(part)) found.add(part);
  }
  return found;
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
