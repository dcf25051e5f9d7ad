import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { InsecureHosts } from './insecure-hosts.js';
import { OutboundError } from './outbound-error.js';
import { isPublicAddress } from './public-address.js';

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
