import type { ClientMetadata } from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import { checkRegistration, checkThirdParty, resourceServer } from './client-rules.js';

const client = (...redirect_uris: string[]): ClientMetadata => ({ client_id: 'x', redirect_uris });

function judged(metadata: ClientMetadata): string | undefined {
  checkThirdParty(metadata);
  return metadata.application_type;
}

describe('a third-party client', () => {
  it.each([
    ['web', 'https://app.example.com/cb'],
    ['web', 'https://app.example.com:8443/cb?x=1'],
    ['native', 'http://127.0.0.1:9999/cb'],
    ['native', 'http://[::1]/cb'],
    ['native', 'http://localhost:3000/cb'],
  ])('is a %s client when its redirect URI is %s', (type, uri) => {
    expect(judged(client(uri))).toBe(type);
  });

  it('is a native client when one redirect URI is on the user’s machine, even if it registers as a web client', () => {
    const both = client('https://app.example.com/cb', 'http://127.0.0.1/cb');
    expect(judged({ ...both, application_type: 'web' })).toBe('native');
  });

  it.each([
    'http://app.example.com/cb',
    'http://127.0.0.1.example.com/cb',
    'http://localhost@evil.example/cb',
    'https://user:secret@app.example.com/cb',
    'https://localhost/cb',
    'com.example.app:/cb',
    'javascript:alert(1)',
    'https://*.example.com/cb',
    'https://app.example.com/*',
    'http://127.0.0.1/*',
    'https://app.example.com/\u202ecb',
    `https://app.example.com/${'x'.repeat(2_000)}`,
    'data:text/html,x',
    'file:///etc/passwd',
    '/cb',
    '',
  ])('is refused with the redirect URI "%s", alone or with valid ones', uri => {
    expect(() => checkThirdParty(client(uri))).toThrow('invalid_redirect_uri');
    expect(() => checkThirdParty(client('https://app.example.com/cb', uri))).toThrow('invalid_redirect_uri');
    const signOut = { ...client('https://app.example.com/cb'), post_logout_redirect_uris: [uri] };
    expect(() => checkThirdParty(signOut)).toThrow('invalid_redirect_uri');
  });

  it.each([{ a: 1 }, 5, 'authorization_code'])('is refused with %j in place of its grant types', given => {
    const grant_types = given as unknown as string[];
    const metadata = { ...client('https://app.example.com/cb'), grant_types };
    expect(() => checkThirdParty(metadata)).toThrow('invalid_client_metadata');
  });

  it('keeps working with a name that a new registration may not have', () => {
    expect(judged({ ...client('https://app.example.com/cb'), client_name: 'Tool\u202e' })).toBe('web');
  });

  it('has at most 20 redirect URIs', () => {
    const uris = Array.from({ length: 21 }, (_, n) => `https://app.example.com/${n}`);
    expect(judged(client(...uris.slice(1)))).toBe('web');
    expect(() => checkThirdParty(client(...uris))).toThrow('invalid_redirect_uri');
  });
});

describe('the registration of a client', () => {
  const registered = (metadata: object) => () =>
    checkRegistration({ ...client('https://app.example.com/cb'), ...metadata });

  it.each(['Tool', 'Büro 日本 🙂', 'x'.repeat(200)])('accepts the name %s', client_name => {
    expect(registered({ client_name })).not.toThrow();
  });

  it.each([
    ['a bidirectional override', 'Tool\u202eloot'],
    ['an isolate', 'Tool\u2066'],
    ['a zero-width space', 'To\u200bol'],
    ['a byte order mark', '\ufeffTool'],
    ['a line separator', 'Tool\u2028by us'],
    ['201 characters', 'x'.repeat(201)],
  ])('refuses a name with %s', (_, client_name) => {
    expect(registered({ client_name })).toThrow('invalid_client_metadata');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc',
    '/page',
    `https://a.example/${'x'.repeat(2_000)}`,
  ])('refuses the URL %s of a page', address => {
    for (const name of ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']) {
      expect(registered({ [name]: address })).toThrow('invalid_client_metadata');
      expect(registered({ [name]: 'https://a.example/page' })).not.toThrow();
    }
  });
});

const publicUrl = 'https://api.example.com';
const collection = `${publicUrl}/v1/collections/0192f0c1-2f5e-7b3a-9c4d-5e6f7a8b9c0d/mcp`;
const of = (indicator: string, own = false) => resourceServer(indicator, { publicUrl, own });

describe('a resource indicator', () => {
  it.each([publicUrl, `${publicUrl}/`, `${publicUrl}/v1`])('%s means the whole platform', indicator => {
    expect(of(indicator)).toMatchObject({ audience: publicUrl, accessTokenFormat: 'jwt' });
  });

  it.each([`${publicUrl}/v1/mcp`, collection])('%s means this resource only', indicator => {
    expect(of(indicator).audience).toBe(indicator);
  });

  it.each([
    `${publicUrl}.evil.example`,
    `${publicUrl}@evil.example/v1/mcp`,
    `${publicUrl}/v1/mcp/`,
    `${publicUrl}/v1/mcp?x`,
    `${publicUrl}/v2`,
    `${publicUrl}/v1/collections/x/mcp`,
    'https://other.example.com/v1/mcp',
    'urn:x',
  ])('%s is refused', indicator => {
    expect(() => of(indicator)).toThrow('invalid_target');
  });

  it('offers the scope that covers everything to the platform’s own clients only', () => {
    expect(of(publicUrl, true).scope.split(' ')).toContain('platform');
    expect(of(publicUrl).scope.split(' ')).not.toContain('platform');
  });
});
