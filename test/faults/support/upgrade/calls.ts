import { isDeepStrictEqual } from 'node:util';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the answer
  readonly body: any;
  readonly headers: Headers;
}

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The credential; without one the key of the organization. */
  readonly as?: Readonly<Record<string, string>>;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const apiKey = (key: string) => ({ 'x-platform-api-key': key });

/** Sends each request to the next of the instances in `urls`, as a load balancer does. Notes what went wrong. */
export class Calls {
  urls: readonly string[] = [];
  /** One of each kind: requests that were refused or not answered, and answers that are not as they should be. */
  readonly wrong: unknown[] = [];
  private readonly kinds = new Set<string>();
  private turn = 0;

  constructor(private readonly key: string) {}

  next(): string {
    return this.urls[this.turn++ % this.urls.length] as string;
  }

  /** Sends a request that must succeed. */
  async ask(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const answer = await this.send(method, path, sent);
    if (answer.status < 200 || answer.status > 201)
      this.note(`${method} ${path}`, answer.status, answer.body);
    return answer;
  }

  /** Sends a request. The status is 0 if no answer comes. */
  send(method: string, path: string, sent: Sent): Promise<Answer> {
    return this.request(this.next() + path, method, sent).catch(error => ({
      status: 0,
      body: String(error.cause ?? error),
      headers: new Headers(),
    }));
  }

  /** Notes `found` unless it is equal to `expected`. */
  check(what: string, found: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(found, expected)) this.note(what, found, expected);
  }

  note(what: string, ...found: unknown[]): void {
    const kind = what.replace(/[?=].*|[0-9a-f-]{36}/g, '');
    if (!this.kinds.has(kind)) this.wrong.push([what, ...found]);
    this.kinds.add(kind);
  }

  private async request(url: string, method: string, { body, headers, as }: Sent): Promise<Answer> {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(as ?? apiKey(this.key)),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      headers: response.headers,
    };
  }
}

/** Repeats each of some loops until it is ended. */
export class Loops {
  private readonly rounds: number[];
  private isOver = false;
  private readonly running: Promise<unknown>;

  constructor(loops: readonly ((round: number) => Promise<void>)[]) {
    this.rounds = loops.map(() => 0);
    this.running = Promise.all(
      loops.map(async (loop, at) => {
        for (let round = 1; !this.isOver; round++) {
          await loop(round);
          this.rounds[at] = round;
        }
      }),
    );
  }

  /** Waits for a whole round of each loop: whatever has changed meanwhile, requests have met it. */
  async more(): Promise<void> {
    const before = [...this.rounds];
    const missing = () => this.rounds.some((n, at) => n <= (before[at] as number) + 1);
    while (missing() && !this.isOver) await Promise.race([this.running, pause(20)]);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
