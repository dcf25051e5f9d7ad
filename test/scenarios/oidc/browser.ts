import type { TestApp } from '../../harness/app.js';
import type { Person } from '../auth/person.js';

/** The current location of a browser: a page, or an address of another origin to which it was redirected. */
export interface Place {
  readonly status: number;
  readonly url: string;
  readonly html: string;
  readonly headers: Headers;
}

interface Kept {
  readonly value: string;
  readonly path: string;
}

/** A browser without scripts. It keeps cookies by path, and follows redirects within the platform. */
export class Browser {
  private readonly cookies = new Map<string, Kept>();

  constructor(private readonly app: Pick<TestApp, 'url'>) {}

  /** Signs in to the platform as a person. */
  static of(app: Pick<TestApp, 'url'>, { token }: Pick<Person, 'token'>): Browser {
    const browser = new Browser(app);
    browser.signIn(token);
    return browser;
  }

  signIn(token: string): void {
    this.cookies.set('access-token', { value: token, path: '/' });
  }

  signOut(): void {
    this.cookies.delete('access-token');
  }

  has(name: string): boolean {
    return this.cookies.has(name);
  }

  get(address: string | URL): Promise<Place> {
    return this.go(new URL(address, this.app.url), {});
  }

  /** Sends the only form of a page with one of its buttons, and what else is given. */
  press(place: Place, button: string, also: Record<string, string> = {}): Promise<Place> {
    const action = new URL(attribute(place.html, /<form [^>]*/, 'action'), place.url);
    const fields = [...place.html.matchAll(/<input [^>]*>/g)].map(([tag]): [string, string] => [
      attribute(tag, /.*/, 'name'),
      attribute(tag, /.*/, 'value'),
    ]);
    const pressed = [...place.html.matchAll(/<button [^>]*>([^<]*)/g)].find(([, text]) => text === button);
    if (pressed === undefined) throw new Error(`the page has no button "${button}":\n${place.html}`);
    const named: [string, string][] = /name="/.test(pressed[0])
      ? [[attribute(pressed[0], /.*/, 'name'), attribute(pressed[0], /.*/, 'value')]]
      : [];
    const body = new URLSearchParams({ ...Object.fromEntries([...fields, ...named]), ...also });
    return this.go(action, { method: 'POST', body });
  }

  private async go(url: URL, init: RequestInit): Promise<Place> {
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie: this.sentTo(url) } });
    for (const line of response.headers.getSetCookie()) this.keep(line, url);
    const location = response.headers.get('location');
    if (location === null || response.status < 300 || response.status > 399) {
      return {
        status: response.status,
        url: url.href,
        html: await response.text(),
        headers: response.headers,
      };
    }
    await response.text();
    const next = new URL(location, url);
    return next.origin === new URL(this.app.url).origin
      ? this.go(next, {})
      : { status: response.status, url: next.href, html: '', headers: response.headers };
  }

  private sentTo({ pathname }: URL): string {
    return [...this.cookies]
      .filter(
        ([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');
  }

  private keep(line: string, url: URL): void {
    const [pair = '', ...attributes] = line.split(';').map(part => part.trim());
    const [name = '', ...rest] = pair.split('=');
    const of = (wanted: string) =>
      attributes.find(each => each.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = of('path') ?? url.pathname.replace(/\/[^/]*$/, '/');
    const key = path === '/' ? name : `${name} ${path}`;
    const gone = rest.join('=') === '' || Date.parse(of('expires') ?? '9999') < Date.now();
    if (gone) this.cookies.delete(key);
    else this.cookies.set(key, { value: rest.join('='), path });
  }
}

function attribute(html: string, tag: RegExp, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag.exec(html)?.[0] ?? '')?.[1] ?? '';
  return value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}
