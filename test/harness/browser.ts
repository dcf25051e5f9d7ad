interface Cookie {
  readonly origin: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

/** The parts of a browser that a login needs: it stores cookies and follows one redirect at a time. */
export class Browser {
  private cookies: Cookie[] = [];

  /** Opens an address without following redirects. */
  open(address: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.load(new URL(address), { headers });
  }

  /** Sends a request as a script of a page of the same origin does. */
  send(method: string, address: string, body?: unknown): Promise<Response> {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    return this.load(new URL(address), { method, headers, body: JSON.stringify(body ?? {}) });
  }

  private async load(url: URL, init: RequestInit): Promise<Response> {
    const cookie = this.cookiesFor(url);
    const headers = { ...(cookie !== '' && { cookie }), ...(init.headers as Record<string, string>) };
    const answer = await fetch(url, { ...init, redirect: 'manual', headers });
    for (const text of answer.headers.getSetCookie()) this.keep(url, text);
    return answer;
  }

  /** Follows redirects until one points to an address that begins with `to`. Does not open that address. */
  async openUntil(address: string, to: string): Promise<string> {
    for (let next = address, steps = 0; steps < 10; steps++) {
      if (next.startsWith(to)) return next;
      const answer = await this.open(next);
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${next}: ${answer.status} ${await answer.text()}`);
      next = new URL(location, next).href;
    }
    throw new Error('too many redirects');
  }

  /** The value of a cookie that the browser sends to an address. */
  cookie(address: string, name: string): string | undefined {
    return this.at(new URL(address)).find(cookie => cookie.name === name)?.value;
  }

  set(address: string, name: string, value: string): void {
    this.keep(new URL(address), `${name}=${value}; path=/`);
  }

  /** The Cookie header that the browser sends to an address. */
  cookiesFor(url: URL): string {
    return this.at(url)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  private at(url: URL): Cookie[] {
    return this.cookies.filter(({ origin, path }) => origin === url.origin && url.pathname.startsWith(path));
  }

  private keep({ origin }: URL, text: string): void {
    const [pair = '', ...attributes] = text.split(/; */);
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    const attribute = (wanted: string) =>
      attributes.find(each => each.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('path') ?? '/';
    const expires = attribute('expires');
    this.cookies = this.cookies.filter(
      each => each.origin !== origin || each.name !== name || each.path !== path,
    );
    if (expires !== undefined && Date.parse(expires) <= Date.now()) return;
    this.cookies.push({ origin, path, name, value });
  }
}
