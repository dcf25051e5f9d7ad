import { expect, it } from 'vitest';
import { failureText } from './failure.js';

const failed = (code: string, message: string) => Object.assign(new TypeError(message), { code });

it.each([
  ['42501', 'permission denied for schema public', 'ALTER DATABASE … OWNER TO'],
  ['53200', 'out of shared memory', 'Raise max_locks_per_transaction'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'Add sslrootcert='],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', 'Add sslrootcert='],
  ['3D000', 'database "x" does not exist', 'Check DATABASE_URL'],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'Check DATABASE_URL'],
])('says of %s what it is and what to do', (code, message, remedy) => {
  const text = failureText(failed(code, message));
  expect(text).toContain(message);
  expect(text).toContain(remedy);
  expect(text).not.toMatch(/\n/);
});

it('shows the stack trace of an unexpected error alone', () => {
  expect(failureText(new Error('Set PORT.'))).toBe('Set PORT.');
  expect(failureText(new TypeError('x is undefined'))).toMatch(/\n\s+at /);
});
