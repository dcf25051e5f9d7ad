import { type HostEntry, hostEntry } from '../config/host-entry.js';

/** The exceptions of OUTBOUND_ALLOW_INSECURE_HOSTS: plain http and private addresses are fine there. */
export class InsecureHosts {
  private readonly entries: readonly HostEntry[];

  constructor(entries: readonly string[]) {
    this.entries = entries.map(hostEntry);
  }

  /** @param port as the URL or socket has it; empty means the protocol's own. */
  include(hostname: string, port: string, protocol: string): boolean {
    const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
    const number = Number(port || (protocol === 'https:' ? 443 : 80));
    return this.entries.some(entry => entry.host === host && (entry.port ?? number) === number);
  }
}
