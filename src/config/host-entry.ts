/** A host that a setting lists, and the one port it is limited to, if any. */
export interface HostEntry {
  readonly host: string;
  readonly port: number | undefined;
}

/** Reads `host`, `host:port`, `[v6]` or `[v6]:port`, written as URLs write the host. Throws with the reason. */
export function hostEntry(text: string): HostEntry {
  const [, host = '', port] = /^(\[[^\]]+\]|[^:/?#@*\\\s]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === '' || !URL.canParse(`http://${host}/`) || Number(port) > 65_535) {
    throw new Error('expects hosts like localhost, idp.test:8443 or [::1]:8443');
  }
  return { host: new URL(`http://${host}/`).hostname, port: port === undefined ? undefined : Number(port) };
}
