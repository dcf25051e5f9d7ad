import { describe, expect, it } from 'vitest';
import type { Provider } from '../lists.js';
import { draftOf, redirectUriOf, sentOf } from './provider-draft.js';

const STORED: Provider = {
  id: '1',
  slug: 'acme',
  name: 'Acme',
  type: 'oidc',
  icon: 'https://acme.example/icon.png',
  config: {
    issuer: 'https://sso.acme.example',
    client_id: 'collections',
    hasClientSecret: true,
    scopes: ['openid', 'email'],
    allowTokenExchange: true,
    jwks_uri: 'https://sso.acme.example/keys',
  },
  attributesMapping: { email: 'mail', firstName: 'given_name', lastName: 'family_name' },
  domains: ['acme.example'],
  defaultRole: 'member',
  orgSlug: 'acme',
  enabled: false,
  createdAt: '',
  updatedAt: '',
  redirectUri: 'https://we.example/v2/login/callback',
};

describe('the form of an identity provider', () => {
  it('sends what is stored if nothing is changed, and keeps the secret', () => {
    expect(sentOf(draftOf(STORED), STORED)).toEqual({
      name: 'Acme',
      slug: 'acme',
      enabled: false,
      domains: ['acme.example'],
      defaultRole: 'member',
      icon: 'https://acme.example/icon.png',
      attributesMapping: STORED.attributesMapping,
      config: {
        issuer: 'https://sso.acme.example',
        client_id: 'collections',
        scopes: ['openid', 'email'],
        allowTokenExchange: true,
        jwks_uri: 'https://sso.acme.example/keys',
      },
    });
  });

  it('shows the shared redirect address of an old provider until it becomes another client', () => {
    const draft = draftOf(STORED);
    expect(redirectUriOf({ ...draft, name: 'Other', issuer: ` ${draft.issuer}` }, STORED)).toBe(
      'https://we.example/v2/login/callback',
    );
    const endpoints = { ...draft.endpoints, authorization_endpoint: 'https://sso.acme.example/sign-in' };
    for (const changed of [{ issuer: 'https://other.example' }, { clientId: 'other' }, { endpoints }]) {
      const uri = redirectUriOf({ ...draft, ...changed }, STORED);
      expect(uri).toBe('https://we.example/v2/login/callback/acme');
    }
  });

  it('sends a new secret, removes the stored one, and leaves out what is empty', () => {
    const draft = draftOf(STORED);
    expect(sentOf({ ...draft, secret: 's3cret' }, STORED).config).toMatchObject({ client_secret: 's3cret' });
    const { config } = sentOf(
      { ...draft, withoutSecret: true, endpoints: draftOf(undefined).endpoints },
      STORED,
    );
    expect(config).toMatchObject({ client_secret: null });
    expect(config).not.toHaveProperty('jwks_uri');
  });
});
