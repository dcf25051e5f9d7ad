import type { IncomingHttpHeaders } from 'node:http';

const BOTH = 'application/json, text/event-stream';
const EVENT_STREAM = 'text/event-stream';

/** True for a client that takes no stream: the answer to its message is JSON, without the notifications before it. */
export function takesOnlyJson({ accept = '*/*' }: IncomingHttpHeaders): boolean {
  return !accept.includes(EVENT_STREAM);
}

/** The headers of a client that takes both, which the SDK asks of every one. */
export function takingBoth(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return { ...headers, accept: BOTH };
}

/** Of a stream that answers one message, the answer alone: the last event. Anything else stays as it is. */
export async function asJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) !== true) return response;
  const events = (await response.text()).split(/\r?\n\r?\n/);
  const answer = events.map(dataOf).findLast(data => data !== '');
  const { status } = response;
  return new Response(answer ?? null, { status, headers: { 'content-type': 'application/json' } });
}

/** The data of an event; its other lines are names and comments. */
function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter(line => line.startsWith('data:'))
    .map(line => line.slice('data:'.length).trim())
    .join('\n');
}
