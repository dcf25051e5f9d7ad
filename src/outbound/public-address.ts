import ipaddr from 'ipaddr.js';

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
