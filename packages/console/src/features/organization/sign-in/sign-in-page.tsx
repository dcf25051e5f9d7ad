import { Domains } from './domains.js';
import { Providers } from './providers.js';

/** Identity providers of the organization, and the e-mail domains that it has proven. */
export function SingleSignOnPage() {
  return (
    <>
      <Providers />
      <Domains />
    </>
  );
}
