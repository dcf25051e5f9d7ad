const PART = /^[A-Za-z0-9_-]+$/;

/**
 * True for a JWT in its canonical text (RFC 7515, 3.1 and appendix C): without white space, padding and unused bits.
 * Decoders ignore those, so one token would otherwise be accepted in many spellings.
 */
export function isCompactJwt(token: string): boolean {
  const parts = token.split('.', 4);
  return parts.length === 3 && parts.every(isCanonical);
}

function isCanonical(part: string): boolean {
  return PART.test(part) && Buffer.from(part, 'base64url').toString('base64url') === part;
}
