import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { type HostEntry, hostEntry } from '../config/setting.js';

/** Why an outbound request failed. */
export type OutboundReason = 'refused' | 'unreachable' | 'timeout' | 'too-large';

/**
 * An outbound request failed. The reason is for logs and for the calling code, never for a client, who could otherwise use
 * the service as a port scanner.
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

/** The hosts of OUTBOUND_ALLOW_INSECURE_HOSTS, where plain http and private addresses are allowed. */
export class InsecureHosts {
  private readonly entries: readonly HostEntry[];

  constructor(entries: readonly string[]) {
    this.entries = entries.map(hostEntry);
  }

  /** @param port the port of the URL or socket; empty means the default port of the protocol. */
  include(hostname: string, port: string, protocol: string): boolean {
    const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
    const number = Number(port || (protocol === 'https:' ? 443 : 80));
    return this.entries.some(entry => entry.host === host && (entry.port ?? number) === number);
  }
}

/** IANA assigns public IPv6 addresses from this block only. Others are local, mapped, translated or unused. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Addresses in a public block that the host of a virtual machine answers: metadata and DHCP of Azure. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/**
 * True for a public internet address in the notation of resolvers and sockets. Refuses all special-purpose addresses
 * (RFC 6890): loopback, private, link-local (with the metadata services of clouds), carrier-grade NAT, multicast, reserved,
 * and IPv4 inside IPv6 (mapped, NAT64, 6to4).
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return ipaddr.IPv4.parse(address).range() === 'unicast' && !PLATFORM_ADDRESSES.has(address);
  }
  // An address with a zone (`%eth0`) belongs to an interface of this machine.
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === 'unicast';
}

/**
 * Opens sockets to public addresses only. It checks the address to which the socket is opened, so DNS rebinding (a name
 * that resolves differently a moment later) does not help an attacker.
 */
export function guardedConnect(
  build: typeof buildConnector,
  exceptions: InsecureHosts,
  lookup: LookupFunction,
): buildConnector.connector {
  const open = build({ lookup });
  const guarded = build({ lookup: publicOnly(lookup) });
  return (options, callback) => {
    const { hostname, port, protocol } = options;
    if (exceptions.include(hostname, port, protocol)) return open(options, callback);
    // A host that is an IP address is not resolved, so it is checked here.
    if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) return callback(refusal(hostname), null);
    return guarded(options, callback);
  };
}

/** Refuses a name if one of its addresses is not public. */
export function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found: string | LookupAddress[], family) => {
      if (error) return callback(error, found, family);
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (addresses.every(isPublicAddress)) return callback(null, found, family);
      return callback(refusal(hostname), '');
    });
}

/** The message does not contain the address, so that nobody learns how names resolve in the internal network. */
function refusal(hostname: string): OutboundError {
  return new OutboundError('refused', `${hostname} is or resolves to an address that is not public`);
}
