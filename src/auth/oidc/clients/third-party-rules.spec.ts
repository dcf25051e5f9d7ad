import type { ClientMetadata } from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import { judgeThirdParty } from './third-party-rules.js';

const client = (...redirect_uris: string[]): ClientMetadata => ({ client_id: 'x', redirect_uris });

function judged(metadata: ClientMetadata): string | undefined {
  judgeThirdParty(metadata);
  return metadata.application_type;
}

describe('a client that nobody vouches for', () => {
  it.each([
    ['web', 'https://app.example.com/cb'],
    ['web', 'https://app.example.com:8443/cb?x=1'],
    ['native', 'http://127.0.0.1:9999/cb'],
    ['native', 'http://[::1]/cb'],
    ['native', 'http://localhost:3000/cb'],
  ])('is a %s one when its codes go to %s', (type, uri) => {
    expect(judged(client(uri))).toBe(type);
  });

  it('is a native one as soon as one redirect leads to the user’s machine, whatever it says it is', () => {
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
    'data:text/html,x',
    'file:///etc/passwd',
    '/cb',
    '',
  ])('is refused with codes going to "%s", alone or beside good ones', uri => {
    expect(() => judgeThirdParty(client(uri))).toThrow('invalid_redirect_uri');
    expect(() => judgeThirdParty(client('https://app.example.com/cb', uri))).toThrow('invalid_redirect_uri');
    const signOut = { ...client('https://app.example.com/cb'), post_logout_redirect_uris: [uri] };
    expect(() => judgeThirdParty(signOut)).toThrow('invalid_redirect_uri');
  });

  it('has at most 20 redirects', () => {
    const uris = Array.from({ length: 21 }, (_, n) => `https://app.example.com/${n}`);
    expect(judged(client(...uris.slice(1)))).toBe('web');
    expect(() => judgeThirdParty(client(...uris))).toThrow('invalid_redirect_uri');
  });
});
