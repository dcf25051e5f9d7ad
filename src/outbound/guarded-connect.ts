import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { type HostEntry, hostEntry } from '../config/setting.js';

/** Why a request that leaves the process came to nothing. */
export type OutboundReason = 'refused' | 'unreachable' | 'timeout' | 'too-large';

/**
 * For logs and for whoever made the call, never for a client: the difference between a closed port, a silent one
 * and a refused address would make the service a port scanner.
 */
export class OutboundError extends Error {
  constructor(
    readonly reason: OutboundReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OutboundError';
  }
}

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

/** IPv6 addresses are given out of this block alone (IANA); what lies outside is local, mapped, translated or unused. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Inside a public block, yet answered by the host of the virtual machine: metadata and DHCP of Azure. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/**
 * True for an address of the public internet, written plainly as resolvers and sockets write it. The special
 * purpose registries (RFC 6890) are all refused: loopback, private, link-local with the metadata services of the
 * clouds, carrier-grade NAT, multicast, reserved, and every way to write IPv4 inside IPv6 (mapped, NAT64, 6to4).
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return ipaddr.IPv4.parse(address).range() === 'unicast' && !PLATFORM_ADDRESSES.has(address);
  }
  // A zone names an interface of this machine.
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === 'unicast';
}

/**
 * Opens sockets to public addresses only. The check is made on the addresses that the socket is then opened to:
 * a name that resolves differently a moment later (DNS rebinding) changes nothing.
 */
export function guardedConnect(exceptions: InsecureHosts, lookup: LookupFunction): buildConnector.connector {
  const open = buildConnector({ lookup });
  const guarded = buildConnector({ lookup: publicOnly(lookup) });
  return (options, callback) => {
    const { hostname, port, protocol } = options;
    if (exceptions.include(hostname, port, protocol)) return open(options, callback);
    // A host that is an address already is never looked up.
    if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) return callback(refusal(hostname), null);
    return guarded(options, callback);
  };
}

/** One address that is not public spoils the name: nobody has both kinds for a good reason. */
export function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found: string | LookupAddress[], family) => {
      if (error) return callback(error, found, family);
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (addresses.every(isPublicAddress)) return callback(null, found, family);
      return callback(refusal(hostname), '');
    });
}

/** Names no address: what a name resolves to inside is nobody's business outside. */
function refusal(hostname: string): OutboundError {
  return new OutboundError('refused', `${hostname} is or resolves to an address that is not public`);
}
