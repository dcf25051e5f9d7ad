// Forms of names that several folders check.

/** The slug of an organization (platform contract, Organizations). */
export const ORG_SLUG = /^[a-z0-9][a-z0-9_-]{1,39}$/;

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

/** A domain in lower case (RFC 1123, 2.1). Domains of intranets may have one label only. */
export const DOMAIN = new RegExp(String.raw`^${LABEL}(\.${LABEL})*$`);

/**
 * A domain of the public DNS: at least two labels, of which the last begins with a letter, so an IP address is not one.
 * The last label may be in Punycode, such as xn--p1ai.
 */
export const PUBLIC_DOMAIN = new RegExp(String.raw`^(${LABEL}\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`);
