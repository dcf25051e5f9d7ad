import { BlockList, isIP } from 'node:net';

/** True for an address or a CIDR range of either family. */
export function isIpRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** True when the address is in one of the ranges, or when there are none. IPv4 inside IPv6 counts as IPv4. */
export function ipAllowed(ranges: readonly string[], ip: string | undefined): boolean {
  if (ranges.length === 0) return true;
  const address = ip?.replace(/%.*$/, '') ?? '';
  if (isIP(address) === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(start, familyOf(start));
    else list.addSubnet(start, Number(bits), familyOf(start));
  }
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
