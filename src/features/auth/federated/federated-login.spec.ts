import { describe, expect, it } from 'vitest';
import { domainOf, personOf } from './federated-login.js';

const attributesMapping = { email: 'email', firstName: 'given_name', lastName: 'family_name' };
const provider = { attributesMapping, domains: [] as string[] };
const claims = { iss: 'https://id.example.com', sub: '1', email: 'ada@example.com', email_verified: true };

describe('the person of an id_token', () => {
  it('has the names and the e-mail address of the claims', () => {
    expect(personOf(provider, { ...claims, given_name: 'Ada', family_name: 'Lovelace' })).toEqual({
      issuer: 'https://id.example.com',
      subject: '1',
      email: 'ada@example.com',
      emailVerified: true,
      admitted: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
    });
  });

  it('is read from the claims that the provider maps', () => {
    const mapped = { email: 'upn', firstName: 'first', lastName: 'last' };
    const { email, firstName, lastName } = personOf(
      { ...provider, attributesMapping: mapped },
      { ...claims, upn: 'ada@corp.example', first: 'A', last: 'L', given_name: 'no' },
    );
    expect({ email, firstName, lastName }).toEqual({
      email: 'ada@corp.example',
      firstName: 'A',
      lastName: 'L',
    });
  });

  it('has no verified address when the verified address is not the mapped one', () => {
    const mapped = { ...provider, attributesMapping: { ...attributesMapping, email: 'upn' } };
    expect(personOf(mapped, { ...claims, upn: 'eve@example.com' }).emailVerified).toBe(false);
    expect(personOf(mapped, { ...claims, upn: claims.email }).emailVerified).toBe(true);
  });

  it.each([false, 'true', 1, null, undefined])('treats email_verified %j as not verified', email_verified => {
    expect(personOf(provider, { ...claims, email_verified }).emailVerified).toBe(false);
  });

  it('does not accept as verified an address that lower-casing would turn into another', () => {
    const kelvin = { ...claims, email: 'mar\u212a@example.com' };
    expect('mar\u212a'.toLowerCase()).toBe('mark');
    expect(personOf(provider, kelvin)).toMatchObject({ email: kelvin.email, emailVerified: false });
  });

  it.each([undefined, 7, '', 'ada', 'a b@example.com', `${'a'.repeat(320)}@x.y`, 'a\0@example.com'])(
    'has no address when the claim is %j',
    email => {
      expect(personOf(provider, { ...claims, email })).toMatchObject({ email: null, emailVerified: false });
    },
  );
});

describe('the domains of a provider', () => {
  const limited = { ...provider, domains: ['example.com'] };

  it('admit addresses in these domains, without regard to case', () => {
    expect(personOf(limited, { ...claims, email: 'Ada@EXAMPLE.com' }).admitted).toBe(true);
  });

  it.each(['ada@sub.example.com', 'ada@example.com.evil.test', 'ada@evilexample.com', undefined])(
    'leave out %j',
    email => {
      expect(personOf(limited, { ...claims, email })).toMatchObject({
        admitted: false,
        emailVerified: false,
      });
    },
  );

  it('exclude an address that is not verified', () => {
    expect(personOf(limited, { ...claims, email_verified: false }).admitted).toBe(false);
  });

  it('are compared with the part after the last @', () => {
    expect(domainOf('"a@b"@Example.COM')).toBe('example.com');
  });
});
