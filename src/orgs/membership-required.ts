import { PlatformError } from '../kernel/errors.js';

/** One and the same answer for an organization one is no member of, one that does not exist, and none at all. */
export function membershipRequired(): PlatformError {
  return new PlatformError(
    'OrganizationMembershipRequired',
    'This needs membership in the organization: join one, or use a credential of one of its members.',
  );
}
